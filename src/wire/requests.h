/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * requests - which connections of the program count as accepted, and for which progress points.
 *
 * A request is a change of direction on an accepted connection: bytes in, then bytes out. On a
 * datagram socket each message out answers one that came in before.
 */
#pragma once

#include <linux/types.h>

#define WIRE_REQUESTS_MOST 8 /* points that count requests */
#define WIRE_UNIX_PATH_BYTES 112

/*
 * A point that counts requests on connections to this path; of ports see the map request_ports.
 * Writer: the engine, before it counts the point.
 */
struct wire_request_point {
	__u32 point;                     /* its index */
	__u32 is_any;                    /* 1: on every port and path that is listened on */
	char path[WIRE_UNIX_PATH_BYTES]; /* filled up with zeros; abstract: begins with one */
};
_Static_assert(sizeof(struct wire_request_point) == 120, "wire_request_point layout");

/* Another process to which the program has sent messages. Writer: BPF. */
#define KERNEL_PEERS_MOST 1024
struct kernel_peer {
	__u64 sent; /* messages to this machine */
	__u64 woken_by_message, woken_otherwise;
};
_Static_assert(sizeof(struct kernel_peer) == 24, "kernel_peer layout");

/*
 * Threads that have received a request, and their waits for the next one. Requests by the time from
 * when they were read to the first byte of the answer: KERNEL_SERVICE_FINE buckets to each power of
 * two, from 1 << KERNEL_SERVICE_LEAST_BITS ns on; without those under a speedup. Writer: BPF.
 */
#define KERNEL_SERVICE_FINE_BITS 3
#define KERNEL_SERVICE_LEAST_BITS 10
#define KERNEL_SERVICE_BUCKETS 256
struct kernel_serving {
	__u64 threads, since_ns; /* each since it received the first: the sum of these times */
	__u64 ended, ended_ns;
	__u64 waited_ns;
	__u64 answered[KERNEL_SERVICE_BUCKETS];
};
_Static_assert(sizeof(struct kernel_serving) == 40 + 8 * KERNEL_SERVICE_BUCKETS,
	       "kernel_serving layout");
