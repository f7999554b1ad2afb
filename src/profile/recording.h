/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording - what a profile file holds, as plain data in memory.
 *
 * The engine writes rows through profile.h; reports read a whole recording. Times are ns; start_ns
 * is CLOCK_MONOTONIC of the recording host. Texts are the bytes as found; NULL means unknown.
 */
#pragma once

#include "base/memory.h"
#include "profile/chunk.h"
#include "profile/clock_rows.h"
#include "profile/kinds.h"
#include "profile/length_rows.h"
#include "profile/sample_rows.h"
#include "profile/scale_rows.h"
#include "profile/set_rows.h"

#include <stdbool.h>
#include <stdint.h>

#define RECORDING_GRANULARITY_ALL "all" /* targets of all kinds at once */

/* Below so many periods between hand-overs, predictions err by what they cost. */
#define RECORDING_HAND_OVER_PERIODS 2

struct recording_run {
	int64_t id;
	char *command;     /* JSON array of the program's arguments */
	char *options;     /* JSON array of lever's, "--name=value" each; NULL: not known */
	char *engine;      /* "kernel", "runtime" */
	char *host;        /* node name */
	char *machine;     /* processor and number of cores */
	char *kernel;      /* release */
	char *commit;      /* of the program's sources, in hex; NULL: unknown */
	char *version;     /* of lever */
	char *granularity; /* "line", ...; a target_kind_name, or "all" */
	int64_t started_s; /* Unix time */
	uint64_t wall_ns;  /* of the program, pauses included, stops not; 0: it runs */
	uint64_t delay_ns; /* growth of G over the run */
	uint64_t seed;
	uint64_t period_ns;     /* sampling period */
	double interrupt_share; /* share of a core's time in the sampling interrupt */
	uint64_t samples, lost; /* of the program on CPU; lost in a full ring */
	uint64_t capped;        /* pauses cut at the spin cap (carried to later ticks) */
	uint64_t unwound_badly; /* samples whose callers in scope could not be found */
	uint64_t sampled_ns;    /* weight of all samples */
	uint64_t paused_ns;     /* spent pausing, all cores together */
	uint64_t baseline_ns;   /* wall time of the program at speedup 0 */
	uint64_t hand_over_ns;  /* CPU time between wake-ups of its tasks by each other; 0: rare */
	uint64_t crowded_ns, unused_ns; /* while a task waited for a core: CPU, idle cores */
	uint64_t poll_ns;        /* naps of tasks that poll more often than ticks come; 0: none */
	double brief_spin_share; /* of its CPU time: spins shorter than a period */
	uint64_t cycle_ns;       /* in which the program works; 0: none was found */
	uint64_t whole_since_ns; /* windows hold whole cycles since; 0: they do not */
	uint64_t retried_ns;     /* sampled, in loops that retry beside other threads in such */
	int exit_status;         /* as waitpid gives it; -1 while it runs or unknown */
	bool finished;           /* the engine ended in order */
	char *note;              /* warnings for the reader, one a line; NULL if none */
	enum run_kind kind;      /* the command that made it */
};

/* CPU time of the recording itself while the program ran. */
struct recording_overhead {
	int64_t run_id;
	uint64_t engine_ns; /* CPU time of the engine's process */
	bool knows_kernel;
	uint64_t kernel_ns; /* in interrupts and BPF programs, all cores together */
};

struct recording_target {
	int64_t id;
	enum target_kind kind;
	char *name;     /* what a user types: "main.c:42", "compress_block" */
	char *function; /* demangled */
	char *file;     /* as in the debug information, full path where known */
	unsigned line;
	char *object;   /* path of the binary */
	char *build_id; /* hex */
	char *content; /* of a line: what its source says (symbolize/source_lines); NULL: unknown */
	char *assumed; /* whose speedup stands: "main.c:42:50%, flush"; or NULL */
};

struct recording_point {
	int64_t id;
	enum point_kind kind;
	char *name;    /* for latency: the span's name, or "BEGIN,END" */
	bool is_found; /* by Lever; nobody asked for it */
};

/* What one experiment measured at one progress point. */
struct recording_visit {
	int64_t point_id;
	double visits;        /* between the first and the last edge */
	uint64_t duration_ns; /* wall time between those edges */
	uint64_t delay_ns;    /* growth of G between those edges */
	double in_flight;     /* latency only: time average of begun and not yet ended */
};

/* What one progress point has had since its first edge, part of the way through a window. */
#define RECORDING_PARTS 8 /* of a window, of about equal length; marks stand between them */
struct recording_mark {
	int64_t experiment_id, point_id;
	unsigned number; /* from 1 */
	double visits;   /* between the first edge and the last one so far */
	uint64_t duration_ns, delay_ns, elapsed_ns; /* between those; of the window */
	uint64_t sampled_ns, displaced_ns, cpu_ns;  /* of the program, in that time */
};

struct recording_experiment {
	int64_t id, run_id, target_id;
	double speedup; /* fraction */
	uint64_t start_ns, duration_ns, delay_ns;
	uint64_t target_ns;             /* sampled time in the target */
	uint64_t target_alone_ns;       /* of controls: as if threads took turns; 0: unknown */
	uint64_t sampled_ns, waited_ns; /* sampled time of the program, and its part off CPU */
	uint64_t displaced_ns;   /* the program was runnable while another program had its core */
	uint64_t capped, cpu_ns; /* CPU time, with clients that pause along; 0: unknown */
	enum verdict verdict;
	uint64_t unrecognized_ns; /* of the target by its name, but not marked as its */
	int series_index;   /* among the windows that follow each other at one speedup, from 0 */
	uint64_t period_ns; /* at which it was sampled; 0: unknown */
	ARRAY(struct recording_visit) visits;
	ARRAY(struct recording_length) lengths; /* by point and bucket */
	ARRAY(struct recording_mark) marks;     /* by point and number */
};

/* Sampled time by target, for shares and the phase correction. */
struct recording_sample {
	int64_t run_id, target_id;
	uint64_t samples, sampled_ns; /* number and weight */
	uint64_t baseline_sampled_ns; /* the part of the weight at speedup 0 */
	uint64_t baseline_alone_ns;   /* the same, as if its threads took turns; 0: unknown */
};

/* All visits of a point in a run, from the program's start to its end. */
struct recording_total {
	int64_t run_id, point_id;
	uint64_t visits;
};

struct recording {
	uint32_t owner_uid; /* of the file */
	ARRAY(struct recording_run) runs;
	ARRAY(struct recording_overhead) overheads;
	ARRAY(struct recording_target) targets;
	ARRAY(struct recording_point) points;
	ARRAY(struct recording_experiment) experiments; /* by id, so by time within a run */
	ARRAY(struct recording_sample) samples;
	ARRAY(struct recording_total) totals;
	ARRAY(struct recording_process_visits) process_visits;
	ARRAY(struct recording_frame) frames;
	ARRAY(struct recording_stack) stacks; /* by id */
	ARRAY(struct recording_thread) threads;
	ARRAY(struct recording_stack_sample) stack_samples;
	ARRAY(struct recording_wakeup) wakeups;
	ARRAY(struct recording_string) strings;
	ARRAY(struct recording_chunk) chunks;
	ARRAY(struct recording_parallel) parallels;
	ARRAY(struct recording_level) levels; /* by run */
	ARRAY(struct recording_run) earlier;  /* taken out of runs by recording_keep_session */
	ARRAY(struct recording_run_conditions) run_conditions;
	ARRAY(struct recording_what_if) what_ifs;
	ARRAY(struct recording_target_sample) target_samples; /* by run */
	ARRAY(struct recording_steal) steals;                 /* by run */
	ARRAY(struct recording_member) members;               /* of sets */
	ARRAY(struct recording_set_search) set_searches;
	ARRAY(struct recording_set_measure) set_measures;
	ARRAY(struct recording_call_edge) call_edges;
	ARRAY(struct recording_clock) clocks; /* by run and time */
};

void recording_free(struct recording *recording);
/* The row with this id, or NULL. */
const struct recording_run *recording_run(const struct recording *recording, int64_t id);
/* Its targets were of all kinds at once: code of every binary, with and without lines. */
bool recording_run_has_all_kinds(const struct recording_run *run);
const struct recording_target *recording_target(const struct recording *recording, int64_t id);
const struct recording_point *recording_point(const struct recording *recording, int64_t id);
const struct recording_visit *recording_visit(const struct recording_experiment *, int64_t point);
const struct recording_frame *recording_frame(const struct recording *recording, int64_t id);
const struct recording_stack *recording_stack(const struct recording *recording, int64_t id);
const struct recording_thread *recording_thread(const struct recording *recording, int64_t id);
/* The run of the first host beside which another host made this one; 0: this is no such run. */
int64_t recording_first_run(const struct recording *recording, int64_t run_id);
/* The NULL-terminated arguments as recording_run.command. The caller frees the result. */
char *recording_command(char *const *arguments);
/* Drops the runs of other kinds. */
void recording_keep(struct recording *recording, enum run_kind kind);
/* Moves runs of lever scale that are not of the last session to `earlier`. */
void recording_keep_session(struct recording *recording);
/* Its visits are requests that clients on this machine or elsewhere wait for. */
bool recording_point_is_requests(const struct recording_point *point);
