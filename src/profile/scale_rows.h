/* SPDX-License-Identifier: BSD-2-Clause */
/* scale_rows - what a profile holds of runs of lever scale; a part of recording.h. */
#pragma once

#include "profile/kinds.h"

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

/* What was seen beside a run, that predictions depend on. */
struct recording_run_conditions {
	int64_t run_id;
	bool is_recorded;      /* the scheduler's log of the run is in the file */
	bool is_cut;           /* that log ends before the program */
	uint64_t looks;        /* at a thread of the program that ran; 0: nobody looked */
	uint64_t spinning;     /* of them: it waited by spinning */
	double alone_speed;    /* before the run: a loop on one core of the machine alone, per us */
	double together_speed; /* the same on all of them at once, the mean of a core */
};

/* What the hypervisor took from the program in a slice of its run (see recording_level). */
struct recording_steal {
	int64_t run_id;
	unsigned slice;
	uint64_t stolen_ns; /* of the time of its running threads */
};

/* Of which code a `lever scale` shall say whether it matters on other cores: of all its runs. */
struct recording_what_if {
	int64_t session_id;
	enum target_kind kind;
	char *name, *function, *file, *object; /* as in recording_target */
	unsigned line;
	double speedup; /* of the code, in experiments, with this effect on the program: */
	int gain_ppm, low_ppm, high_ppm; /* millionths of its time */
};

/* A sample in the code of a what_if, in the recorded run. */
struct recording_target_sample {
	int64_t run_id;
	unsigned tid;
	uint64_t time_ns, weight_ns; /* it stands for so much time before that */
	bool is_waiting;             /* off the core, for anything */
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
