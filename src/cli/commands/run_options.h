/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run_options - what `lever run` was told to do.
 *
 *	struct run_options AUTO(run_options) options;
 *	if (!run_options_parse_command(argc, argv, &options, &exit_code))
 *		return exit_code;
 *
 * Texts are borrowed from argv or owned by the struct; all live_line until run_options_free. What needs
 * the program (is there such a line?) is not checked here.
 */
#pragma once

#include "cli/options/values.h"
#include "experiment/progress/point_spec.h"
#include "profile/recording.h"

enum run_engine {
	RUN_ENGINE_AUTO,
	RUN_ENGINE_KERNEL,
	RUN_ENGINE_RUNTIME
}; /* as enum collector_engine */

struct run_scope {
	const char *pattern;
	bool include; /* --scope; else --exclude */
};

struct run_options {
	const char *output;
	bool fresh;
	ARRAY(struct point_spec) progress;
	ARRAY(struct point_spec_pair) latency;
	struct value_texts targets;
	int granularity;                /* index in target_granularities */
	ARRAY(struct run_scope) scopes; /* as given, in order */
	ARRAY(double) speedups;         /* fractions, ascending, without repeats, always with 0 */
	double seconds;                 /* 0: until the program ends */
	double until_points;            /* percentage points; 0: not asked for */
	uint64_t period_ns;             /* 0: chosen by the engine */
	uint64_t window_ns;             /* 0: chosen by the experiments */
	int off_cpu;                    /* 0: yes */
	bool end_to_end;
	unsigned runs; /* end-to-end only; 0: until interrupted, --seconds or --until */
	struct value_number seed;
	int engine; /* enum run_engine */
	bool kernel;
	const char *vmlinux;
	uint32_t classes; /* --class: CLASS_BIT of each */
	struct value_processes processes;
	const char *cgroup;
	bool is_system_wide;
	struct value_texts names; /* globs on comm */
	bool force;
	bool quiet, verbose;
	char **program; /* into argv, NULL-ended; [0] is what to start. NULL: processes that run */
	ARRAY(char *) owned;
};

/* Returns whether to go on; otherwise everything has been said: end with *exit_code. */
bool run_options_parse_command(int argc, char **argv, struct run_options *options, int *exit_code);
/* The same without printing, for tests: 0 or -EINVAL; `help` tells that --help was asked for. */
int run_options_parse(int argc, char **argv, struct run_options *options, bool *help,
		      struct error *error);
/* Is anything asked for that only the kernel engine can do? */
bool run_options_need_kernel(const struct run_options *options);
void run_options_free(struct run_options *options);

static inline void run_options_auto_release(struct run_options *options)
{
	run_options_free(options);
}
