/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * requests - counts requests on accepted connections (wire/requests.h) from what the kernel sees of
 * every socket, whatever the program is written in.
 *
 * Since Linux 6.3 two tracepoints announce each message with its socket, also of io_uring. Before,
 * the end of each system call is looked at, and its descriptor followed to the socket. A connection
 * is accepted if its local port is one that a process listens on (the engine says which), or if its
 * Unix socket has an address: the socket that connects usually has none.
 *
 * The programs are in messages.h, and are none of lever run's others: their stacks add to no other.
 */
#pragma once

#include "bpf/member.h"
#include "bpf/system_calls.h"
#include "bpf/visits.h"
#include "wire/requests.h"

#include <asm/unistd.h>

#define SOCKFS_MAGIC 0x534F434B
#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define SOCK_DGRAM 2
#define REQUEST_PENDING_MOST 64 /* datagrams that came in and were not answered yet */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sock_common {
	unsigned short skc_family;
	__u16 skc_num; /* local port */
};

struct sock {
	struct sock_common __sk_common;
	u16 sk_type;
	struct socket *sk_socket;
};

struct sockaddr_un___kernel {
	char sun_path[108];
};

struct unix_address {
	int len;
	struct sockaddr_un___kernel name[0];
};

struct unix_sock {
	struct sock sk;
	struct unix_address *addr;
};

struct file___socket {
	struct inode *f_inode;
	void *private_data;
};

struct socket {
	struct file___socket *file;
	struct sock *sk;
};

struct fdtable {
	unsigned int max_fds;
	struct file___socket **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct task_struct___files {
	struct files_struct *files;
};

#pragma clang attribute pop

/* By local port, in host order: the points (a bit each) whose connections those are. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, u32);
	__type(value, u32);
} request_ports SEC(".maps");

struct request_socket {
	u32 points;  /* bits */
	u32 pending; /* came in, and were not answered */
	u64 read_ns; /* when the oldest of these came in; of datagrams the last one */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, u64); /* inode number of the socket, which is not reused soon */
	__type(value, struct request_socket);
} request_sockets SEC(".maps");

struct request_path {
	char path[WIRE_UNIX_PATH_BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct request_path);
} request_paths SEC(".maps");

struct wire_request_point request_points[WIRE_REQUESTS_MOST];
__u32 request_point_count;
struct kernel_serving serving;

/* Functions of their own that give numbers: the verifier does not follow each outcome further. */
__noinline int is_path_of(const struct request_path *path, u32 number)
{
	if (!path || number >= WIRE_REQUESTS_MOST || number >= request_point_count)
		return 0;
	const struct wire_request_point *point = &request_points[number];
	const u64 *words = (const u64 *)path->path, *others = (const u64 *)point->path;
	u64 differences = 0;

	for (u32 i = 0; i < WIRE_UNIX_PATH_BYTES / sizeof(u64); i++)
		differences |= words[i] ^ others[i];
	return point->is_any || !differences;
}

static __always_inline u32 points_of_path(const struct request_path *path)
{
	u32 points_found = 0;

	for (u32 i = 0; i < WIRE_REQUESTS_MOST; i++)
		points_found |= (u32)(is_path_of(path, i) & 1) << i;
	return points_found;
}

static __always_inline u32 points_of_unix(struct sock *socket)
{
	struct unix_address *address = BPF_CORE_READ((struct unix_sock *)socket, addr);
	u32 zero = 0;
	struct request_path *path = bpf_map_lookup_elem(&request_paths, &zero);

	if (!address || !path)
		return 0;
	u32 length = BPF_CORE_READ(address, len) - sizeof(u16); /* without sun_family */
	if (length > sizeof(((struct sockaddr_un___kernel *)0)->sun_path))
		return 0;
	__builtin_memset(path, 0, sizeof(*path));
	bpf_probe_read_kernel(path->path, length & 127, &address->name[0].sun_path);
	return points_of_path(path);
}

/* The points (a bit each) that count requests on this socket; 0: it is not accepted. */
static __noinline u32 points_of_socket(struct sock *socket)
{
	u16 family = BPF_CORE_READ(socket, __sk_common.skc_family);

	if (family == AF_UNIX)
		return points_of_unix(socket);
	if (family != AF_INET && family != AF_INET6)
		return 0;
	u32 port = BPF_CORE_READ(socket, __sk_common.skc_num);
	u32 *found = bpf_map_lookup_elem(&request_ports, &port);
	return found ? *found : 0;
}

__noinline int request_done(u32 number)
{
	if (number < WIRE_REQUESTS_MOST)
		progress_add(request_points[number].point, 1, bpf_ktime_get_ns());
	return 0;
}

/* Bytes came in. Returns whether a client sent them. */
static __always_inline bool request_received(struct sock *socket, u64 inode)
{
	struct request_socket *known = bpf_map_lookup_elem(&request_sockets, &inode);

	if (!known) {
		struct request_socket first = {.points = points_of_socket(socket),
					       .pending = 1,
					       .read_ns = bpf_ktime_get_ns()};
		if (first.points)
			bpf_map_update_elem(&request_sockets, &inode, &first, BPF_NOEXIST);
		return first.points;
	}
	u32 most = BPF_CORE_READ(socket, sk_type) == SOCK_DGRAM ? REQUEST_PENDING_MOST : 1;
	if (!known->pending || most > 1)
		known->read_ns = bpf_ktime_get_ns();
	if (known->pending < most)
		__sync_fetch_and_add(&known->pending, 1);
	return true;
}

/* A request has been answered after this time. */
__noinline int service_add(u64 time)
{
	u64 bits = highest_bit(time), bucket = 0;

	if (bits >= KERNEL_SERVICE_LEAST_BITS)
		bucket = ((bits - KERNEL_SERVICE_LEAST_BITS) << KERNEL_SERVICE_FINE_BITS) +
			 ((time >> (bits - KERNEL_SERVICE_FINE_BITS)) &
			  ((1 << KERNEL_SERVICE_FINE_BITS) - 1));
	if (bucket >= KERNEL_SERVICE_BUCKETS || has_speedup())
		return 0;
	asm volatile("" : "+r"(bucket)); /* else the bound is dropped, which Linux 6.1 needs */
	bucket &= KERNEL_SERVICE_BUCKETS - 1;
	__sync_fetch_and_add(&serving.answered[bucket], 1);
	return 0;
}

/* Bytes went out: the first after some came in are an answer. */
static __always_inline void request_sent(u64 inode)
{
	struct request_socket *known = bpf_map_lookup_elem(&request_sockets, &inode);
	u32 pending = known ? *(volatile u32 *)&known->pending : 0;

	if (!pending ||
	    __sync_val_compare_and_swap(&known->pending, pending, pending - 1) != pending)
		return;
	service_add(bpf_ktime_get_ns() - known->read_ns);
	for (u32 i = 0; i < WIRE_REQUESTS_MOST; i++)
		if (known->points & 1u << i)
			request_done(i);
}

/* ---- the socket of a system call ---- */

enum message_direction { MESSAGE_NONE, MESSAGE_RECEIVED, MESSAGE_SENT };

static __always_inline enum message_direction message_direction_of(int call)
{
	switch (call) {
	case __NR_read:
	case __NR_readv:
	case __NR_recvfrom:
	case __NR_recvmsg:
	case __NR_recvmmsg:
		return MESSAGE_RECEIVED;
	case __NR_write:
	case __NR_writev:
	case __NR_sendto:
	case __NR_sendmsg:
	case __NR_sendmmsg:
	case __NR_sendfile:
		return MESSAGE_SENT;
	default:
		return MESSAGE_NONE;
	}
}

static __always_inline u32 descriptor_of(struct pt_regs___kernel *saved)
{
	return (u32)CALL_FIRST(saved);
}

/* NULL: the descriptor is no socket. */
static __always_inline struct file___socket *socket_file(struct task_struct___files *task,
							 u32 descriptor)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file___socket **files = BPF_CORE_READ(table, fd), *file = NULL;

	if (descriptor >= BPF_CORE_READ(table, max_fds) ||
	    bpf_probe_read_kernel(&file, sizeof(file), &files[descriptor]) || !file ||
	    BPF_CORE_READ(file, f_inode, i_sb, s_magic) != SOCKFS_MAGIC)
		return NULL;
	return file;
}

static __always_inline struct sock *socket_of(struct task_struct___files *task, u32 descriptor)
{
	struct file___socket *file = socket_file(task, descriptor);
	struct socket *found = file ? BPF_CORE_READ(file, private_data) : NULL;

	return found ? BPF_CORE_READ(found, sk) : NULL;
}

/* 0: the descriptor is no socket. */
static __always_inline u64 socket_inode(struct task_struct___files *task, u32 descriptor)
{
	struct file___socket *file = socket_file(task, descriptor);

	return file ? BPF_CORE_READ(file, f_inode, i_ino) : 0;
}
