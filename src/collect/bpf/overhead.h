/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * overhead - what a recording takes from the machine: the time in its BPF programs, which the
 * kernel counts (BPF_ENABLE_STATS), and the engine's own CPU time.
 *
 * Counting adds two reads of the clock to each run of a BPF program. So it is on in short windows
 * only, the first at the start, later ones less often; a window stands for the time until the next.
 *
 * Life: overhead_start, overhead_poll at least every 50 ms or so, overhead_end. One thread uses it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct bpf_object;
struct recording_overhead;

struct overhead {
	struct bpf_object *object; /* whose programs are timed; borrowed; NULL: none */
	bool is_unknown;           /* the kernel does not count */
	int counting;              /* the descriptor that makes it count; -1: between windows */
	uint64_t start_ns;         /* of the recording */
	uint64_t window_ns;        /* when the last window began */
	uint64_t every_ns;         /* from there to the next */
	uint64_t length_ns;        /* how long it was; 0 while it is open */
	uint64_t before_ns;        /* run time at its begin */
	uint64_t during_ns;        /* and what was added in it */
	uint64_t kernel_ns;        /* of the time before it */
	uint64_t engine_ns;        /* own CPU time at the start */
};

/* A process of the engine (0: none), whose CPU time counts as the engine's. */
void overhead_count_process(pid_t pid);
/* The one before has ended, and this one takes its place. */
void overhead_replace_process(pid_t pid);
/* CPU time of the engine so far, with that process's. */
uint64_t overhead_engine_cpu_ns(void);
/* One that was never started may be ended, too: it is unknown. */
void overhead_start(struct overhead *overhead, struct bpf_object *object);
void overhead_poll(struct overhead *overhead);
/* Fills in times; the caller adds those of interrupts. */
void overhead_end(struct overhead *overhead, struct recording_overhead *row);
