/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session_state - what the files of a session share (session*.c), and nobody else.
 */
#pragma once

#include "collect/bpf/overhead.h"
#include "collect/collector.h"
#include "collect/process/program.h"
#include "experiment/live_estimate.h"
#include "experiment/progress/progress_points.h"
#include "experiment/sampling_rate.h"
#include "experiment/schedule.h"
#include "experiment/session.h"
#include "experiment/target/sampled_code.h"
#include "profile/profile.h"
#include "stats/warm_up.h"
#include "symbolize/symbols.h"

#define SESSION_HISTORY 32

/* A place that has been or may be a target. */
struct session_target {
	struct target_code what;
	int64_t id;                /* in the profile; 0: not written yet */
	bool is_given;             /* by --target, --class */
	bool is_external;          /* no code: session_outside.c */
	bool is_unusable;          /* too many pieces */
	unsigned series_counts[2]; /* so far: of controls, of others */
	unsigned warm_up_level;    /* the level of stats/settle.h */
};

struct session_processes;

/* Rows of the profile for a kernel_caller of the same index. */
struct session_kernel_caller {
	int64_t stack_id, moment_id;
	uint64_t written; /* samples */
};

struct session {
	const struct session_options *options;
	struct session_result *result;
	struct symbols *symbols;
	struct collector *collector;
	struct code *code;
	struct points *points;
	struct profile *profile;
	struct schedule *schedule;
	struct live_estimate *live_estimate;
	struct sampling_rate sampling_rate;
	struct program program;
	struct recording_run run;
	struct overhead cost;
	ARRAY(struct session_target) targets;
	ARRAY(const char *) awaited_targets; /* given, and in no file known so far */
	struct error missing_target;
	uint32_t searched_objects; /* files among which names have been looked for */
	bool has_added_libraries, has_reported_waiting, enables_spans, listens_to_spans;
	ARRAY(uint32_t) processes; /* of the program, alive as far as events told */
	char *program_path;
	struct session_processes *members;
	uint64_t window_ns, started_ns, deadline_ns, committed_ns, notified_ns, judged_ns;
	uint64_t baseline_ns; /* end to end: time of the runs at speedup 0 */
	uint64_t speedup_ns;  /* else: time in windows above it */
	uint64_t over_ns;     /* when measuring ended; 0: it has not */
	int64_t armed_id;     /* target in the collector */
	unsigned experiments, discarded, controls;
	unsigned trials, outside_trials; /* series_counts of windows so far; of session_outside.c */
	double displacements[SESSION_HISTORY]; /* shares of the last windows */
	size_t displacement_count;
	ARRAY(struct session_kernel_caller) callers; /* as written */
	int64_t caller_thread_id;
	double displacement_accepted; /* the largest share in a window that counted */
	struct collector_handler handler;
};

/* Waits `duration_ns`, or until the program ends or the user interrupts; false then. */
bool session_wait(struct session *session, uint64_t duration_ns);
/* Ctrl-C or SIGTERM came. */
bool session_is_interrupted(void);
/* The program, or a process that it left behind, still runs. */
bool session_program_runs(struct session *session);
/* Takes in what the kernel side has to tell; names, points, scope are up to date then. */
int session_update(struct session *session, struct error *error);
/* The index in session->targets of the target whose samples count for this place. */
size_t session_target_of(struct session *session, uint32_t place);
/* Are targets given, or to be chosen? */
bool session_has_given_targets(const struct session *session);
int session_write_target(struct session *session, struct session_target *target,
			 struct error *error);
/* Weight of each target for the schedule; to be freed. */
double *session_weights(struct session *session);
int session_write_samples(struct session *session, struct error *error);
void session_notify(struct session *session);

bool session_is_precise_enough(struct session *session);  /* --until */
bool session_is_over_time(const struct session *session); /* --seconds */
/* Forks the program and lets it run. */
int session_start_program(struct session *session, struct error *error);

/*
 * session_names.c: tells the collector what may be the target, and learns the kernel's functions, if they
 * matter; the points and targets that the user named. Those in no file known yet are tried
 * again by session_retry_names; session_check_names fails once it has been waited long enough, or
 * if the program has ended.
 */
int session_enable_target_kinds(struct session *session, struct error *error);
int session_resolve_names(struct session *session, struct error *error);
int session_retry_names(struct session *session, struct error *error);
int session_check_names(struct session *session, bool has_ended, struct error *error);
/* session_run_series.c: a stretch of windows. -EAGAIN: the program ended, or the target cannot be used. */
int session_arm(struct session *session, struct session_target *target, struct error *error);
/* More disturbed by others than can be accepted? To be asked once for each window. */
bool session_is_displaced(struct session *session, const struct recording_experiment *experiment);
void session_count_window(struct session *session, const struct recording_experiment *experiment);
int session_run_series(struct session *session, const struct schedule_plan *plan,
		       struct error *error);
/* session_end_to_end.c: runs the program again and again. */
int session_end_to_end(struct session *session, struct error *error);
/*
 * session_processes.c: which processes are looked at. Those that run already are found there, and left
 * as they were found.
 */
int session_processes_open(struct session *session, struct error *error);
void session_processes_close(struct session *session);
/* Follows the processes that were asked for: the session has begun. */
int session_processes_follow(struct session *session, struct error *error);
bool session_processes_live(struct session *session);
/* Makes the files known that those have mapped: executables and libraries. */
void session_processes_add_files(struct session *session);
/* To be called now and then: who has joined since. */
void session_processes_refresh(struct session *session);
void session_processes_on_process(struct session *session,
				  const struct kernel_process_event *event);
void session_processes_on_name(struct session *session, const struct kernel_name_event *event);
/* What was asked for, as a command line would say it; to be freed. */
char *session_processes_command(const struct session *session);
/*
 * session_outside.c: now and then the target is all that is not the program's, to learn how much of its sampling_rate that
 * sets. Changes the weights where it is time for that; there is room for one more.
 */
void session_draw_external(struct session *session, double *weights);
#define SESSION_EXTERNAL_SPEEDUP 0.25
/* session_callers.c: who called the kernel code that was sampled. */
int session_write_kernel_callers(struct session *session, struct error *error);
/* session_candidates.c: functions called at a steady rate, one a line; NULL if none. */
char *session_candidates(struct session *session);
