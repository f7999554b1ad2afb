/* SPDX-License-Identifier: BSD-2-Clause */
/* progress - progress points and their visits, as both engines count them. */
#pragma once

#include <linux/types.h>

#define WIRE_POINTS_MOST 64

/* Writers: `total` is added to by the counting side, atomically; the rest by the creator. */
struct wire_point {
	__u64 hash; /* lever.h: FNV-1a of kind and name; others: unique, even. 0: free */
	__u64 total;
	__u32 kind; /* enum points_kind, or WIRE_POINT_* */
	__u32 pad;
	char name[48];
};
_Static_assert(sizeof(struct wire_point) == 72, "wire_point layout");
#define WIRE_POINT_ENGINE 16    /* counted by a uprobe or a tracepoint of the engine */
#define WIRE_POINT_SAMPLED 17   /* total is sampled ns */
#define WIRE_POINT_CALL_RATE 18 /* of the search for functions with a steady rate */

/* Visits by process. Writer: BPF. Further processes are in the total only. */
#define KERNEL_VISIT_KEYS_MOST 8192
struct kernel_visit_key {
	__u32 tgid;
	__u32 point;
};
struct kernel_visits {
	__u64 count;
	char command[16]; /* of the process at its first visit */
};
_Static_assert(sizeof(struct kernel_visits) == 24, "kernel_visits layout");

/* First and last visit of a point in a window, as seen by one core. Writer: BPF on that core. */
struct kernel_edge {
	__u64 window;
	__u64 first_ns, first_delay_ns, first_total;
	__u64 last_ns, last_delay_ns, last_total;
	__u64 pad;
};
_Static_assert(sizeof(struct kernel_edge) == 64, "kernel_edge layout");
