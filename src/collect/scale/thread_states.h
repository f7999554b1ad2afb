/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_states - the hands of `lever scale`: counts a program's threads by state, by BPF (bpf/scale.bpf.c).
 *
 * Life: thread_states_open, thread_states_start with a process that waits to exec (the count begins when it does),
 * thread_states_read as often as wanted, thread_states_close. One thread uses it.
 */
#pragma once

#include "base/error.h"
#include "wire/scale.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

struct thread_states;
struct recording_overhead;

struct thread_states_options {
	const cpu_set_t *cores; /* that the program may use */
	bool looks; /* at what running threads do, each millisecond: see struct scale_counts */
	bool verbose;
};

int thread_states_open(const struct thread_states_options *options,
		       struct thread_states **thread_states, struct error *error);
void thread_states_close(struct thread_states *thread_states);

/* The process and what it forks. It must not be running. */
int thread_states_start(struct thread_states *thread_states, pid_t pid, struct error *error);
/* The sums of one moment: all of it belongs together. */
int thread_states_read(struct thread_states *thread_states, struct scale_totals *totals,
		       struct error *error);
/* When the program has ended, once: what counting took. */
void thread_states_overhead(struct thread_states *thread_states, struct recording_overhead *row);
/* What happened so far, on all cores. */
void thread_states_counters(const struct thread_states *thread_states, struct scale_counts *sum);
