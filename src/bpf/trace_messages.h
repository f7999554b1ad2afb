/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * trace_messages - the part of trace.bpf.c for messages over TCP between hosts, attached on demand.
 *
 * A message is known on both hosts by its connection and by the position of its last byte, which
 * TCP numbers alike on both. It leaves when its system call begins: it cannot arrive before that.
 */
#pragma once

#include "bpf/scheduler.h"
#include "bpf/system_calls.h"

#include <asm/unistd.h>
#include <bpf/bpf_endian.h>

#define AF_INET 2
#define AF_INET6 10
#define IPPROTO_TCP 6
#define LOOPBACK_NETWORK 127 /* the first byte of the address */
#define MSG_PEEK 2
#define SENDERS_MOST 65536

struct in6_addr___words {
	u32 words[4];
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sock_common {
	unsigned short skc_family;
	u16 skc_num;   /* local port */
	u16 skc_dport; /* in network order */
	u32 skc_daddr, skc_rcv_saddr;
	struct in6_addr___words skc_v6_daddr, skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	u16 sk_protocol;
};

struct tcp_sock {
	u32 write_seq, copied_seq;
};

#pragma clang attribute pop

/* When a task began to send, by its id. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, SENDERS_MOST);
	__type(key, u32);
	__type(value, u64);
} senders SEC(".maps");

static __always_inline bool is_send_call(int call)
{
	return call == __NR_write || call == __NR_writev || call == __NR_sendto ||
	       call == __NR_sendmsg || call == __NR_sendmmsg || call == __NR_sendfile ||
	       call == __NR_splice;
}

/* The same for both ends: from where to where the message goes. */
static __always_inline u32 way_of(u32 from, u32 from_port, u32 to, u32 to_port)
{
	u32 way = from * 0x9e3779b1;

	way = (way ^ to) * 0x85ebca6b;
	way = (way ^ way >> 15 ^ (from_port << 16 | to_port)) * 0xc2b2ae35;
	return way ^ way >> 16;
}

/* 0: this host's own, as in all below. */
static __always_inline u32 short_four(u32 address)
{
	return (address & 0xff) == LOOPBACK_NETWORK ? 0 : address;
}

/* Sockets of IPv6 keep addresses of IPv4, too: as ::ffff:a.b.c.d. */
static __always_inline u32 short_six(const struct in6_addr___words *address)
{
	const u32 *words = address->words;

	if (!words[0] && !words[1] && words[2] == bpf_htonl(0xffff))
		return short_four(words[3]);
	if (!words[0] && !words[1] && !words[2])
		return 0;
	return ((words[0] * 0x9e3779b1 ^ words[1]) * 0x85ebca6b ^ words[2]) * 0xc2b2ae35 ^ words[3];
}

static __always_inline void read_addresses(struct sock *socket, u32 *remote, u32 *own)
{
	struct in6_addr___words far = {}, near = {};

	if (BPF_CORE_READ(socket, __sk_common.skc_family) == AF_INET) {
		*remote = short_four(BPF_CORE_READ(socket, __sk_common.skc_daddr));
		*own = short_four(BPF_CORE_READ(socket, __sk_common.skc_rcv_saddr));
		return;
	}
	BPF_CORE_READ_INTO(&far, socket, __sk_common.skc_v6_daddr);
	BPF_CORE_READ_INTO(&near, socket, __sk_common.skc_v6_rcv_saddr);
	*remote = short_six(&far);
	*own = short_six(&near);
}

/* 0: not over TCP to another host. */
static __always_inline u64 message_id(struct sock *socket, bool is_sent)
{
	struct tcp_sock *tcp = (struct tcp_sock *)socket;
	u16 family = BPF_CORE_READ(socket, __sk_common.skc_family);
	u32 port = BPF_CORE_READ(socket, __sk_common.skc_num);
	u32 remote_port = __builtin_bswap16(BPF_CORE_READ(socket, __sk_common.skc_dport));

	u32 remote, own;

	if ((family != AF_INET && family != AF_INET6) ||
	    BPF_CORE_READ(socket, sk_protocol) != IPPROTO_TCP)
		return 0;
	read_addresses(socket, &remote, &own);
	if (!remote || remote == own)
		return 0;
	u32 way = is_sent ? way_of(own, port, remote, remote_port) :
			    way_of(remote, remote_port, own, port);
	u32 position = is_sent ? BPF_CORE_READ(tcp, write_seq) : BPF_CORE_READ(tcp, copied_seq);
	return (u64)way << 32 | position;
}

static __always_inline void message_send(struct task_struct *task, struct sock *socket, u32 kind,
					 u64 time_ns)
{
	u64 id = message_id(socket, kind == SCHEDULER_EVENT_SENT);

	if (!id)
		return;
	struct scheduler_message_event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event) {
		__sync_fetch_and_add(&totals.lost_events, 1);
		return;
	}
	event->kind = kind;
	event->tid = tid_of(task);
	event->tgid = tgid_of(task);
	event->pad = 0;
	event->time_ns = time_ns;
	event->id = id;
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}
