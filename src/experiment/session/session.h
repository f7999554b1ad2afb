/* SPDX-License-Identifier: BSD-2-Clause */
/* session - the verb of `lever run`: experiments. */
#pragma once

#include "collect/collector.h"
#include "driver/driver.h"
#include "experiment/progress/point_spec.h"
#include "experiment/session/observer.h"
#include "profile/recording.h"
#include "symbolize/scope.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the session stands, for a line on the terminal. */
struct session_status {
	unsigned experiments, discarded; /* at a speedup > 0; of all windows */
	unsigned targets;
	double elapsed_seconds, left_seconds;  /* left: < 0 if unknown */
	const char *best;                      /* name of the best target so far; NULL if none */
	double best_gain, best_low, best_high; /* its program speedup at 25 % */
};

/* What --target, --with or --assume name. */
struct session_named_target {
	const char *name; /* or a pattern (target_pattern.h) */
	double level;     /* its part of a set's speedup, or the speedup that stands */
	unsigned set;     /* 0: by itself; those with an equal number are sped up together */
};

/* Targets of all kinds, of which one knows more than another: pool.c. */
enum session_pool {
	SESSION_NO_POOL,
	SESSION_POOL,
	SESSION_POOL_IF_POSSIBLE, /* by the kernel engine */
};

struct session_options {
	const struct point_spec *points;
	size_t point_count;
	const struct point_spec_pair *pairs;
	size_t pair_count;
	const struct session_named_target *targets, *assumed;
	size_t target_count, assumed_count;
	const struct scope *scope;
	uint32_t classes;    /* CLASS_BIT: waits of these are targets, each by itself */
	bool kernel;         /* kernel functions may be targets */
	const char *vmlinux; /* the kernel's debug information; NULL: looked for */
	enum target_kind granularity;
	enum session_pool pool;
	const double *speedups; /* fractions */
	size_t speedup_count;
	double until;      /* half width of the first three targets' intervals; 0: no */
	uint64_t after_ns; /* the program warms up so long before the first experiment */
	const struct point_spec *after_point; /* and until this is visited; NULL: no */
	const char *focus;    /* only what this function calls may be a target; NULL: all */
	uint64_t period_ns;   /* 0: chosen */
	bool off_cpu;         /* time off CPU counts, too */
	uint64_t window_ns;   /* 0: chosen */
	double slowdown_most; /* a fraction of the program's own time; 0: any */
	uint64_t seed;
	bool without_set_search; /* of sets that gain only together */
	bool without_peers;      /* clients of this machine do not pause with the program */
	bool end_to_end;
	unsigned runs; /* end to end: at most; 0: until time is up */
	enum collector_engine engine;
	const struct collector_group *group; /* other hosts; NULL: none */
	const char *runtime_library;         /* liblever-runtime.so; NULL: no runtime engine */
	const char *points_library; /* liblever-points.so, for programs with coz.h; NULL: none */
	void *context;
	void (*notify)(void *context, const struct session_status *status);
	const struct session_observer *observer; /* --verbose; NULL: none */
};

/* See driver_run. */
void session_run(const struct session_options *options, const struct driver_options *driver,
		 struct driver_result *result, struct error *error);
