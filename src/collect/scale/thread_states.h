/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_states - counts a program's threads by state for `lever scale`, by BPF (bpf/scale.bpf.c).
 *
 * Life: thread_states_open, thread_states_start with a process that waits to exec (the count begins
 * when it does), thread_states_read, thread_states_close. One thread uses it.
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
	bool samples;           /* running threads, each millisecond: see struct scale_counts */
	bool verbose;
};

int thread_states_open(const struct thread_states_options *options,
		       struct thread_states **thread_states, struct error *error);
void thread_states_close(struct thread_states *thread_states);

/* Counts the process, which must not run yet, and its children. */
int thread_states_start(struct thread_states *thread_states, pid_t pid, struct error *error);
/* A consistent snapshot of the sums. */
int thread_states_read(struct thread_states *thread_states, struct scale_totals *totals,
		       struct error *error);
/* Once, when the program has ended. */
void thread_states_overhead(struct thread_states *thread_states, struct recording_overhead *row);
/* Sums over all cores, so far. */
void thread_states_counters(const struct thread_states *thread_states, struct scale_counts *sum);
