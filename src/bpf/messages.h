/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * messages - the programs that see messages: of the program's processes they count requests
 * (requests.h), of others what tells the program's peers.
 *
 * A peer is another process of this machine that exchanges messages with the program. It is in the
 * program's loop if the program's messages are what wakes it. A wake-up counts as one by a message
 * if the waker is sending at that moment; a peer's messages count if they go to this machine. The
 * engine reads these counts and decides.
 */
#pragma once

#include "bpf/requests.h"

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, KERNEL_PEERS_MOST);
	__type(key, u32); /* tgid */
	__type(value, struct kernel_peer);
} peers SEC(".maps");

struct in6_addr___words {
	u64 words[2];
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sock_common___addresses {
	u32 skc_daddr, skc_rcv_saddr;
	struct in6_addr___words skc_v6_daddr, skc_v6_rcv_saddr;
};

struct sock___addresses {
	struct sock_common___addresses __sk_common;
};

#pragma clang attribute pop

#define LOOPBACK_NETWORK 127 /* the first byte of the address */

static __always_inline bool is_local(struct sock *socket)
{
	struct sock___addresses *addresses = (struct sock___addresses *)socket;
	u16 family = BPF_CORE_READ(socket, __sk_common.skc_family);

	if (family == AF_INET) {
		u32 remote = BPF_CORE_READ(addresses, __sk_common.skc_daddr);
		return (remote & 0xff) == LOOPBACK_NETWORK ||
		       remote == BPF_CORE_READ(addresses, __sk_common.skc_rcv_saddr);
	}
	if (family == AF_INET6) {
		struct in6_addr___words remote = {}, own = {};
		BPF_CORE_READ_INTO(&remote, addresses, __sk_common.skc_v6_daddr);
		BPF_CORE_READ_INTO(&own, addresses, __sk_common.skc_v6_rcv_saddr);
		return remote.words[0] == own.words[0] && remote.words[1] == own.words[1];
	}
	return family == AF_UNIX;
}

/* A process that is not the program's has sent something. */
static __noinline int peer_sent(struct task_struct *task, struct sock *socket)
{
	u32 process = task->tgid;
	struct kernel_peer *peer = bpf_map_lookup_elem(&peers, &process);

	if (peer && is_local(socket))
		__sync_fetch_and_add(&peer->sent, 1);
	return 0;
}

/* What its next wait will be for: idle_wait.h. */
static __always_inline void message_learn(struct task_state *state, u64 inode, bool is_request)
{
	if (is_request)
		state->request = inode;
	if (is_request && !state->serves) {
		state->serves = 1;
		__sync_fetch_and_add(&serving.threads, 1);
		__sync_fetch_and_add(&serving.since_ns, bpf_ktime_get_ns());
	}
	if (state->has_polled)
		state->waits_for_others = !is_request;
	state->has_polled = 0;
}

/* ---- messages: since Linux 6.3 by the sockets' tracepoints ---- */

static __always_inline int request_message(struct sock *socket, int length, bool is_sent)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (length <= 0 || !request_point_count)
		return 0;
	struct task_state *state = member_state(task);
	if (!state)
		return is_sent ? peer_sent(task, socket) : 0;
	u64 inode = BPF_CORE_READ(socket, sk_socket, file, f_inode, i_ino);
	if (!inode)
		return 0;
	if (!is_sent) {
		message_learn(state, inode, request_received(socket, inode));
		return 0;
	}
	if (state->request == inode)
		state->request = 0;
	request_sent(inode);
	return 0;
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(sock_recv_length, struct sock *socket, int length)
{
	return request_message(socket, length, false);
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(sock_send_length, struct sock *socket, int length)
{
	return request_message(socket, length, true);
}

/* ---- and before at the end of each system call ---- */

SEC("tp_btf/sys_exit")
int BPF_PROG(message_call, struct pt_regs___kernel *saved, long result)
{
	if (result <= 0 || !request_point_count)
		return 0;
	struct task_struct *task = bpf_get_current_task_btf();
	enum message_direction direction = message_direction_of(system_call_in(saved));
	if (direction == MESSAGE_NONE)
		return 0;
	struct sock *socket = socket_of((void *)task, descriptor_of(saved));
	return socket ? request_message(socket, 1, direction == MESSAGE_SENT) : 0;
}

/* ---- wake-ups ---- */

static __always_inline bool is_in_program(struct task_struct *task)
{
	const struct task_state *state = bpf_task_storage_get(&tasks, task->group_leader, NULL, 0);
	return state && (state->is_in_tree || state->is_excluded || state->is_peer);
}

/* Also by a call that sends what TCP_CORK has held back, or ends the connection. */
static __always_inline bool is_sending(struct task_struct *task)
{
	int call = system_call_of(task);

	switch (call) {
	case __NR_io_uring_enter:
	case __NR_splice:
	case __NR_setsockopt:
	case __NR_shutdown:
	case __NR_close:
		return true;
	default:
		return message_direction_of(call) == MESSAGE_SENT;
	}
}

SEC("tp_btf/sched_waking")
int BPF_PROG(peer_waking, struct task_struct *woken)
{
	struct task_struct *waker = bpf_get_current_task_btf();
	u32 process = woken->tgid;

	if (!request_point_count || woken->flags & PF_KTHREAD || waker->tgid == woken->tgid ||
	    is_in_program(woken))
		return 0;
	struct kernel_peer *peer = bpf_map_lookup_elem(&peers, &process);
	bool by_message = !this_cpu()->hard_interrupts && waker->pid && is_pausable(waker) &&
			  is_sending(waker);
	if (peer)
		__sync_fetch_and_add(by_message ? &peer->woken_by_message : &peer->woken_otherwise,
				     1);
	else if (by_message) {
		struct kernel_peer first = {.woken_by_message = 1};
		bpf_map_update_elem(&peers, &process, &first, BPF_NOEXIST);
	}
	return 0;
}
