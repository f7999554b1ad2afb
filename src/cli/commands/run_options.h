/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run_options - the options of `lever run`.
 *
 * Texts are borrowed from argv or owned by the struct; all live until run_options_free. What
 * depends on the program (is there such a line?) is not checked here.
 */
#pragma once

#include "cli/options/common_options.h"
#include "cli/options/values.h"
#include "experiment/progress/point_spec.h"
#include "experiment/session/session.h"
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
	struct common_options common; /* first */
	ARRAY(struct point_spec) progress;
	ARRAY(struct point_spec_pair) latency;
	ARRAY(struct session_named_target) targets, assumed;
	unsigned sets;                  /* of targets, so far */
	bool as_one;                    /* all targets are one set */
	int granularity;                /* index in target_granularities; -1: chosen */
	ARRAY(struct run_scope) scopes; /* as given, in order */
	ARRAY(double) speedups;         /* fractions, ascending, without repeats, always with 0 */
	double after;                   /* seconds; 0: at once */
	struct point_spec after_point;  /* kind NULL: none */
	const char *focus;              /* a function; NULL: none */
	double until_points;            /* percentage points; 0: not asked for */
	uint64_t period_ns;             /* 0: chosen by the engine */
	uint64_t window_ns;             /* 0: chosen by the experiments */
	double slowdown_most;           /* a fraction; 0: any */
	int off_cpu;                    /* 0: yes */
	bool end_to_end;
	unsigned roadmap; /* steps; 0: none is asked for */
	unsigned runs;    /* end-to-end only; 0: until interrupted, --seconds or --until */
	struct value_number seed;
	int engine; /* enum run_engine */
	bool kernel;
	bool serve, tui;
	bool without_peers, without_set_search;
	const char *vmlinux;
	uint32_t classes; /* --class: CLASS_BIT of each */
	ARRAY(char *) owned;
};

/* The defaults, before parsing. */
void run_options_init(struct run_options *options);
/* Options that exclude or need each other; `options` begins a struct run_options. */
int run_options_check(struct common_options *options, struct error *error);
/* Only the kernel engine can do what is asked for. */
/* Nothing says which kind of code is meant: all kinds compete, if the engine can. */
bool run_options_leave_kind_open(const struct run_options *options);
bool run_options_need_kernel(const struct run_options *options);
void run_options_free(struct run_options *options);

static inline void run_options_auto_release(struct run_options *options)
{
	run_options_free(options);
}
