/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * experiment - what an engine predicts of a simulated program, and what is true.
 *
 * Predicted: windows with the engine, at speedups in random order. True: the same program and seed
 * without the engine, with the target's lengths really cut. Both are gains: 1 - p(s) / p(0), where
 * p is the time between two visits; with the engine, in effective time.
 */
#pragma once

#include "machine.h"

#define EXPERIMENT_CUTS 4 /* 25, 50, 75, 100 % */

struct experiment_settings {
	struct machine_settings machine;
	struct engine_settings engine;
	uint32_t densest_ns;            /* sampling period, where tasks wait for each other often */
	uint32_t fixed_period_ns;       /* 0: it follows waits, as the session's does */
	uint64_t window_ns, warm_up_ns; /* at least: longer where visits are rare */
	uint32_t rounds;                /* of windows at each speedup */
	uint32_t true_rounds;
};

struct experiment_truth {
	bool is_valid;    /* there were visits enough */
	double period_ns; /* of the program as it is */
	double gain[EXPERIMENT_CUTS];
	/* A cut that is 3 points smaller gains far less or more: threads then meet in another
	 * order. */
	bool is_step[EXPERIMENT_CUTS];
	uint64_t window_ns, warm_up_ns;
	uint64_t windows, events;
};

struct experiment_prediction {
	bool is_valid;
	double period_ns; /* effective, without a speedup */
	double gain[EXPERIMENT_CUTS];
	double error; /* standard error of a gain, mean */
	uint32_t sampling_ns;
	uint64_t windows, events;
	/* Kernel engine: from the growth of G until a core pays for it; the longest. */
	double lag_ns, lag_most_ns;
};

struct experiment_settings experiment_usual(uint32_t cores, enum engine_kind kind, uint64_t seed);
/* Interrupts and wake-ups cost what they do in a nested virtual machine. */
void experiment_on_virtual_machine(struct experiment_settings *settings);
void experiment_find_truth(struct machine *machine, const struct program *program,
			   const struct experiment_settings *settings,
			   struct experiment_truth *truth);
/* Windows are as long as those of the truth. */
void experiment_predict(struct machine *machine, const struct program *program,
			const struct experiment_settings *settings,
			const struct experiment_truth *truth,
			struct experiment_prediction *prediction);
/* One window at `speedup`, traced on standard output: the first `length_ns` of it. */
void experiment_trace(struct machine *machine, const struct program *program,
		      const struct experiment_settings *settings, double speedup,
		      uint64_t length_ns);
