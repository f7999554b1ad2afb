/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * state - what the files of a session share. Their functions stand in the order in which files may
 * call each other: each calls only what stands above it.
 */
#pragma once

#include "collect/bpf/overhead.h"
#include "collect/collector.h"
#include "driver/driver.h"
#include "driver/live_processes.h"
#include "experiment/live_estimate.h"
#include "experiment/progress/point_listening.h"
#include "experiment/progress/progress_points.h"
#include "experiment/sampling_rate.h"
#include "experiment/schedule.h"
#include "experiment/session/cycle.h"
#include "experiment/session/displacement.h"
#include "experiment/session/found_points.h"
#include "experiment/session/named.h"
#include "experiment/session/session.h"
#include "experiment/session/set_finder.h"
#include "experiment/session/stops.h"
#include "experiment/slowdown_limit.h"
#include "experiment/target/sampled_code.h"
#include "stats/warm_up.h"
#include "symbolize/symbols.h"

/* A location that is or may become a target. */
struct session_target {
	struct target_spec spec;
	int64_t id;                    /* in the profile; 0: not written yet */
	bool is_given, is_matched;     /* by --target, --class; by a pattern of --target */
	bool is_compared;              /* with the patterns */
	bool is_external, is_unusable; /* no code: targets.c; too many ranges */
	unsigned series_counts[2];     /* so far: of controls, of others */
	unsigned warm_up_level;        /* of stats/warm_up.h, the highest reported */
	struct effect_slope slope;     /* pool.c: after its last block */
	unsigned blocks;               /* so far */
};
/* Rows of the profile for the kernel_caller of the same index. */
struct session_kernel_caller {
	int64_t stack_id, sample_id;
	uint64_t written; /* samples */
};

struct session {
	struct driver driver; /* first */
	const struct session_options *options;
	struct symbols *symbols;
	struct source_lines *source_lines;
	struct collector *collector;
	struct sampled_code *code;
	struct progress_points *points;
	struct profile *profile; /* the driver's */
	struct schedule *schedule;
	struct live_estimate *live_estimate;
	struct sampling_rate sampling_rate;
	struct displacement displacement;
	struct session_cycle cycle;
	struct slowdown_limit slowdown_limit;
	struct overhead overhead;
	struct collector_handler handler;

	/* processes.c */
	struct live_processes processes; /* of the program, as far as events told */
	struct point_listening *listening;
	struct process_list listeners;        /* on the ports that were asked for */
	uint64_t refreshed_ns, none_since_ns; /* none of the processes runs since; 0: some do */

	/* requests.c */
	struct {
		bool are_counted, are_default, is_quiet; /* quiet: none came, and it was said */
		char *listeners; /* ports and paths that the program listens on; NULL: none */
		uint64_t looked_ns, seen, seen_ns; /* requests, when their number grew */
	} requests;

	struct process_list peers; /* peers.c: those that were decided about */
	uint64_t sent_by_peers;    /* messages of those that pause */
	/* targets.c, names.c */
	ARRAY(struct session_target) targets;
	ARRAY(struct session_named) named; /* of the options: targets, then assumed ones */
	ARRAY(struct session_set *) sets;
	struct target_set assumed; /* whose speedup stands, by their levels */
	char *assumed_name;        /* NULL: none, or not all found yet */
	struct error missing_target;
	uint32_t searched_objects;    /* files in which names were looked up */
	uint64_t searched_generation; /* of symbols, then */
	bool has_added_libraries, has_reported_waiting, listens_to_spans, is_pool;
	struct session_found_points found_points;
	struct session_stops stops;
	struct session_set_finder set_finder;

	/* samples.c */
	ARRAY(struct session_kernel_caller) callers; /* as written */
	int64_t caller_thread_id;
	uint64_t warmed_up_ns, over_ns; /* --after, measuring; 0: there is none, it goes on */
	uint64_t committed_ns, reported_ns, checked_ns, window_ns;
	uint64_t baseline_ns;                      /* end to end: time of the runs at speedup 0 */
	uint64_t speedup_ns;                       /* else: time in windows above it */
	unsigned experiments, discarded, controls; /* windows */
	unsigned series, external_series, too_few; /* windows in a row with too few visits */
	size_t pool_target;                        /* of the block before */
	double pool_rival, pool_asleep; /* the most that an unsure target may gain; pool.h */
	double last_visits;             /* in the last window that counted */
};

static inline struct session *session_of(struct driver *driver)
{
	return (struct session *)driver;
}

/* processes.c: which processes are the program's. Running ones are left as they were. */
int session_processes_open(struct session *session, struct error *error);
void session_processes_close(struct session *session);
/* Follows the processes that were asked for: the session has begun. */
int session_processes_follow(struct session *session, struct error *error);
/* The program, or a process that it left behind, still runs. */
bool session_program_runs(struct session *session);
/* Adds the executables and libraries of those that run already. */
void session_processes_add_files(struct session *session);
/* To be called now and then: processes that joined since. */
void session_processes_refresh(struct session *session);
/* Is one that exchanges messages a server's, by its port or parent? It is followed then. */
bool session_processes_take_in(struct session *session, pid_t pid);
/* What was asked for, as a command line says it; to be freed. */
char *session_processes_command(const struct session *session);
/* Those that are followed now; to be released. */
void session_processes_list(const struct session *session, struct process_list *list);

/* requests.c: requests on accepted connections as progress points. */
int session_requests_open(struct session *session, struct error *error);
void session_requests_close(struct session *session);
/* How they were served, a sentence; NULL: not known. `is_idle`: the load may be the limit. */
char *session_requests_served(const struct session *session, bool *is_idle);
/* Now and then. Adds the point by default where the program listens. */
int session_requests_refresh(struct session *session, struct error *error);
/* Why no request has been counted so far; to be freed. */
char *session_requests_waiting(const struct session *session);

/* peers.c: clients of this machine pause with the program; do all requests come from these? */
void session_peers_refresh(struct session *session);
bool session_peers_send_all(const struct session *session);

/* targets.c: what may be sped up, and what is next. */
/* The index in session->targets of the target whose samples count for this location. */
size_t session_target_of(struct session *session, uint32_t location);
const char *session_target_name(const struct session *session, const struct session_target *target);
int session_write_target(struct session *session, struct session_target *target,
			 struct error *error);
/* Plans the next window; false if there is no target yet. */
bool session_plan(struct session *session, struct schedule_plan *plan);
/* samples.c: writes samples by target, and the callers of kernel code. */
int session_write_samples(struct session *session, struct error *error);

/* names.c: the points and targets that the user named. */
/*
 * Asks the collector for what targets may need, and reads the kernel's symbols where they matter.
 */
int session_enable_target_kinds(struct session *session, struct error *error);
int session_resolve_names(struct session *session, struct error *error);
int session_find_known(struct session *session, const char *name, uint32_t *location,
		       struct error *error);
/* Those in no file known so far. */
int session_retry_names(struct session *session, struct error *error);

/* update.c: takes in everything that has arrived; names, points and scope are up to date then. */
int session_update(struct session *session, struct error *error);

/* missing.c: fails if names or points are missing, and at the end if a named set tells nothing. */
int session_check_names(struct session *session, bool has_ended, struct error *error);
int session_check_sets(struct session *session, struct error *error);

/* series.c: a series of windows. -EAGAIN: the program ended, or the target cannot be used. */
int session_run_series(struct session *session, const struct schedule_plan *plan,
		       struct error *error);
int session_arm(struct session *session, struct session_target *target, struct error *error);
/* Sets what the window took from the counters at its ends. */
void session_subtract(struct recording_experiment *experiment,
		      const struct collector_counters *before,
		      const struct collector_counters *after);
/* Counts the window, sets what `window` lacks, and reports it. */
void session_count_window(struct session *session, const struct session_target *target,
			  struct session_window *window);

/* setup.c: steps of the driver until the program runs. */
int session_open(struct driver *driver, struct error *error);
void session_describe(struct driver *driver);
int session_begin(struct driver *driver, struct error *error);
void session_environment(struct driver *driver, struct environment *environment);
int session_add_program(struct driver *driver, struct error *error);
int session_start(struct driver *driver, struct error *error);

/* end_to_end.c: runs the program again and again. */
int session_end_to_end(struct session *session, struct error *error);
/* warnings.c: sentences, one a line; NULL if there are none. To be freed. */
char *session_warnings(const struct session *session, const struct collector_counters *counters);
/* finish.c: its last steps. */
int session_finish(struct driver *driver, struct error *error);
void session_close(struct driver *driver);
