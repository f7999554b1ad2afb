/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hosts - what engine process and kernel side share about the other hosts of a job.
 *
 * A TCP segment to another host carries the sender's L in an option of its header (RFC 6994, an
 * experiment's). Writer of the settings: the engine process, before it attaches.
 */
#pragma once

#include <linux/types.h>

#define HOSTS_MOST 256            /* other hosts */
#define HOSTS_ADDRESSES_MOST 1024 /* of all of them */

/* IPv6, in network order; IPv4 as ::ffff:a.b.c.d, which sockets of IPv6 give it, too. */
struct hosts_address {
	__u32 words[4];
};

struct hosts_settings {
	__u64 network; /* cookie of the network namespace of the program */
	__u64 tag;     /* drawn for each run; options with another one are not ours */
	/* G that the other hosts have told. It is taken over at a tick in the program: the process
	   that hears it may have preempted a task, which would be credited with the growth. */
	__u64 told_delay_ns;
};

#define HOSTS_OPTION_KIND 254
#define HOSTS_OPTION_EXPERIMENT 0x4c56 /* in network order: "LV" */

struct hosts_option {
	__u8 kind, length;
	__u16 experiment;
	__u64 tag;
	__u64 delay_ns; /* L of the sender */
} __attribute__((packed));
_Static_assert(sizeof(struct hosts_option) == 20, "a header's options hold 40 bytes");

/* Counted by the kernel side. */
struct hosts_totals {
	__u64 sent, received; /* segments with an option */
	__u64 refused;        /* options of another run, or beyond HOSTS_AHEAD_MOST_NS */
	__u64 wakeups;        /* of the program's tasks by such a segment */
};

/* No message of this run is further ahead. */
#define HOSTS_AHEAD_MOST_NS 2000000000ULL
