/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session - one `lever run`: a program, its experiments, and the profile they are written to.
 *
 * session_run does everything between the options and the finished profile file. It prints
 * nothing: what happens is told through `notify`.
 */
#pragma once

#include "base/error.h"
#include "collect/collector.h"
#include "experiment/progress/point_spec.h"
#include "experiment/session/observer.h"
#include "profile/recording.h"
#include "symbolize/scope.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where the session stands, for a line on the terminal. */
struct session_status {
	unsigned experiments, discarded; /* at a speedup > 0; of all windows */
	unsigned targets;
	double elapsed_seconds, left_seconds;  /* left: < 0 if unknown */
	const char *best;                      /* name of the best target so far; NULL if none */
	double best_gain, best_low, best_high; /* its program speedup at 25 % */
};

/*
 * Which processes: those that run already, instead of a program to start; and of all of them, those of
 * these names.
 */
struct process_selection {
	const pid_t *processes;
	size_t process_count;
	const char *cgroup;
	bool is_system_wide;
	const char *const *names; /* globs on comm; with a ! before, which not */
	size_t name_count;
};

struct session_options {
	char *const *arguments; /* the program; ends with NULL. Or NULL: see selection */
	struct process_selection selection;
	const char *version;
	const char *output;
	bool fresh;
	const struct point_spec *points;
	size_t point_count;
	const struct point_spec_pair *pairs;
	size_t pair_count;
	const char *const *targets;
	size_t target_count;
	const struct scope *scope;
	uint32_t classes;    /* CLASS_BIT: waits of these are targets, each by itself */
	bool kernel;         /* kernel functions may be targets */
	const char *vmlinux; /* the kernel's debug information; NULL: looked for */
	enum target_kind granularity;
	const double *speedups; /* fractions */
	size_t speedup_count;
	double seconds;     /* of experiments; 0: as long as the program runs */
	double until;       /* half width of the best target's intervals, a fraction; 0: no */
	uint64_t period_ns; /* 0: chosen */
	bool off_cpu;       /* time off CPU counts, too */
	uint64_t window_ns; /* 0: chosen */
	uint64_t seed;
	bool end_to_end;
	unsigned runs; /* end to end: at most; 0: until time is up */
	bool verbose;
	enum collector_engine engine;
	const char *runtime_library; /* liblever-runtime.so; NULL: no runtime engine */
	const char *points_library;  /* liblever-points.so, for programs with coz.h; NULL: none */
	void *context;
	void (*notify)(void *context, const struct session_status *status);
	void (*say)(void *context, const char *sentence); /* something the user should know now */
	const struct session_observer *observer;          /* NULL: nobody follows */
};

enum session_end {
	SESSION_ANSWERED,
	SESSION_NO_ANSWER,   /* ran, but nothing could be measured: `error` says why */
	SESSION_NO_POINTS,   /* no progress point: wrong usage */
	SESSION_NOT_STARTED, /* the program could not be executed: exit_code is 126 or 127 */
	SESSION_WRONG_USAGE, /* unknown target, point: `error` names the nearest */
	SESSION_FAILED,
};

struct session_result {
	enum session_end end;
	int exit_code; /* SESSION_NOT_STARTED */
	int status;    /* of the program, as waitpid gives it; -1 unknown */
	unsigned experiments;
};

/* To be called once, first of all in main: see program_remember_signals. */
void session_prepare_signals(void);
void session_run(const struct session_options *options, struct session_result *result,
		 struct error *error);
