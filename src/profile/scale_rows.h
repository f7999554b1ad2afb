/* SPDX-License-Identifier: BSD-2-Clause */
/* scale_rows - what a profile holds of runs of lever scale; a part of recording.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* How the program ran, once. */
struct recording_parallel {
	int64_t run_id;
	int64_t session_id; /* of the first run of the same `lever scale` */
	char *asked;        /* cores to predict for, with commas */
	unsigned cores;     /* that it could use */
	unsigned machine_cores;
	bool hides_cores; /* it was told that it had all of the machine's */
	unsigned threads, processes, most_threads; /* made; made; at the same time */
	uint64_t switches, wakes, yields;
	uint64_t escapes;     /* a thread ran on a core that was not meant for it */
	uint64_t overwritten; /* threads that were lost sight of */
	uint64_t stolen_ns;   /* of its cores, by the hypervisor */
};

/*
 * The time with so many threads active, running or runnable. Of slice 0, in the whole run; of others,
 * in a stretch of it that begins at begin_ns.
 */
struct recording_level {
	int64_t run_id;
	unsigned slice, threads;
	uint64_t begin_ns; /* since the program's start */
	uint64_t wall_ns;
	/* Times the threads, or cores, meant. */
	uint64_t running_ns, displaced_ns;
	uint64_t lock_ns, io_ns, timer_ns, condition_ns, other_ns; /* blocked for this reason */
};
