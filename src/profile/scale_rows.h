/* SPDX-License-Identifier: BSD-2-Clause */
/* scale_rows - the part of recording.h with the rows of lever scale. */
#pragma once

#include "base/memory.h"
#include "profile/kinds.h"
#include "profile/set_rows.h"

#include <stdbool.h>
#include <stdint.h>

/* One run of the program. */
struct recording_parallel {
	int64_t run_id;
	int64_t session_id; /* of the first run of the same `lever scale` */
	char *asked;        /* cores to predict for, with commas */
	unsigned cores;     /* that the program could use */
	unsigned machine_cores;
	bool hides_cores;                          /* the program saw all of the machine's cores */
	unsigned threads, processes, most_threads; /* created; created; at most at once */
	uint64_t switches, wakes, yields;
	uint64_t escapes;     /* times that a thread ran outside of these cores */
	uint64_t overwritten; /* threads whose state was overwritten in the kernel's table */
	uint64_t stolen_ns;   /* by the hypervisor, from these cores */
};

/* Observations beside a run that predictions depend on. */
struct recording_run_conditions {
	int64_t run_id;
	bool is_recorded;      /* the scheduler's log of the run is in the file */
	bool is_cut;           /* the log ends before the program does */
	uint64_t inspections;  /* of running threads; 0: threads were not inspected */
	uint64_t spinning;     /* of these: the thread was spinning */
	double alone_speed;    /* before the run: iterations per us of a loop on one core alone */
	double together_speed; /* the same on all cores at once, mean of a core */
};

/* Steal time in a slice of a run (see recording_level). */
struct recording_steal {
	int64_t run_id;
	unsigned slice;
	uint64_t stolen_ns; /* from running threads */
};

/* The code whose effect on other numbers of cores a session of `lever scale` predicts. */
struct recording_what_if {
	int64_t session_id;
	enum target_kind kind;
	char *name, *function, *file, *object; /* as in recording_target */
	unsigned line;
	double speedup;                  /* in experiments, with this gain of the program: */
	int gain_ppm, low_ppm, high_ppm; /* parts per million of its time */
	/* Of a set; not in the file, where each member's samples have its level in their weight. */
	ARRAY(struct recording_member) members;
};

/* A sample in the code of a what_if in the recorded run. */
struct recording_target_sample {
	int64_t run_id;
	unsigned tid;
	uint64_t time_ns, weight_ns; /* the weight is time before time_ns */
	bool is_waiting;             /* off CPU, for any reason */
};

/*
 * The time with so many threads running or runnable. Slice 0 is the whole run; other slices are
 * parts of it that begin at begin_ns.
 */
struct recording_level {
	int64_t run_id;
	unsigned slice, threads;
	uint64_t begin_ns; /* since the program's start */
	uint64_t wall_ns;
	/* Sums over threads. */
	uint64_t running_ns, displaced_ns;
	uint64_t lock_ns, io_ns, timer_ns, condition_ns, other_ns; /* blocked for this reason */
};
