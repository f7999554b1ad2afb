/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay - simulates a program's threads on any number of cores.
 *
 * A thread is a sequence of steps: CPU time, a wait for a signal or of a fixed length, a signal to
 * others. A signal is given once and stays: a thread that waits for it later continues at once.
 * Ready threads share the cores fairly: the one with the least CPU time comes first, for a slice at
 * most, and a thread that was just woken preempts none, unless its waker yields. Deterministic: the
 * same steps give the same time. Threads may be on several hosts, each with cores of its own.
 */
#pragma once

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum replay_kind {
	REPLAY_WORK,   /* `amount_ns` of CPU time if no other thread runs */
	REPLAY_SLEEP,  /* for `amount_ns` of wall time */
	REPLAY_SIGNAL, /* `event`, which is there after `amount_ns` of wall time */
	REPLAY_WAIT,   /* for `event`; only one thread waits for each */
	REPLAY_YIELD,  /* a thread that is ready goes first, if there is one */
};

struct replay_step {
	double amount_ns;
	uint32_t event;
	uint32_t kind; /* enum replay_kind */
};

struct replay_thread {
	ARRAY(struct replay_step) steps;
	bool is_main;  /* the program ends when all main threads have ended */
	unsigned host; /* from 0 on */
	/* The durations of work and of sleep in the steps are multiplied by these. */
	double work_factor, sleep_factor;
};

struct replay {
	ARRAY(struct replay_thread) threads;
	size_t events; /* their numbers are below this */
};

struct replay_settings {
	unsigned cores;
	const unsigned *host_cores; /* by host; NULL: each has `cores` */
	double growth;              /* of CPU time while others run: parallel_slowdown */
	double wake_delay_ns; /* from a signal until an idle core runs the thread that waited */
};

void replay_clear(struct replay *replay); /* releases */
struct replay_thread *replay_add_thread(struct replay *replay);
void replay_add_step(struct replay_thread *thread, enum replay_kind kind, double amount_ns,
		     size_t event);
/* The time until all main threads have ended. NAN: they wait for signals that are never given. */
double replay_run(const struct replay *replay, const struct replay_settings *settings);
