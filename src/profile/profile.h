/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile - the .lever file: one SQLite database, written while the program runs.
 *
 * Writing: profile_create, then profile_add_* in any order in which referred rows come first,
 * profile_commit now and then, profile_update_run at the end, profile_close. After kill -9
 * everything up to the last commit is readable. Reading: profile_read.
 *
 * Functions return 0, or -errno with an error (disk full, not a profile, made by a newer lever,
 * damaged, locked). The file belongs to the user who called sudo.
 */
#pragma once

#include "base/error.h"
#include "profile/recording.h"

struct profile;

/* Opens the file to add to it; makes it if it is missing, empties it if `fresh`. */
int profile_create(const char *path, bool fresh, struct profile **result, struct error *error);
void profile_close(struct profile *profile);   /* commits */
void profile_discard(struct profile *profile); /* closes; what was not committed is lost */
void profile_undo(struct profile *profile);    /* closes, and removes a file that it has made */

/* Each sets the id of the row. A target or point with equal texts keeps its id. */
int profile_add_run(struct profile *profile, struct recording_run *run, struct error *error);
/* Takes a run back that has never begun: without it the file is as it was before. */
int profile_remove_run(struct profile *profile, int64_t run_id, struct error *error);
int profile_update_run(struct profile *profile, const struct recording_run *run,
		       struct error *error);
int profile_add_target(struct profile *profile, struct recording_target *target,
		       struct error *error);
/* A row replaces the one of the same set, kind and name. */
int profile_set_member(struct profile *profile, const struct recording_member *member,
		       struct error *error);
/* Of the search for sets. A row replaces the one of the same search, or of the same members. */
int profile_set_set_search(struct profile *profile, const struct recording_set_search *search,
			   struct error *error);
int profile_set_set_measure(struct profile *profile, const struct recording_set_measure *measure,
			    struct error *error);
int profile_set_call_edge(struct profile *profile, const struct recording_call_edge *call_edge,
			  struct error *error);
int profile_add_point(struct profile *profile, struct recording_point *point, struct error *error);
int profile_add_experiment(struct profile *profile, struct recording_experiment *experiment,
			   struct error *error);
/* So many experiments that hold whole cycles, and as many controls, do without the others. */
#define PROFILE_WHOLE_LEAST 2
/*
 * Of targets with enough experiments of the run since then, those from before are cut short: they
 * hold parts of the program's cycles.
 */
int profile_cut_short_before(struct profile *profile, int64_t run_id, uint64_t time_ns,
			     struct error *error);
/* A row replaces the one of the same run and target (or point). */
int profile_set_sample(struct profile *profile, const struct recording_sample *sample,
		       struct error *error);
int profile_set_total(struct profile *profile, const struct recording_total *total,
		      struct error *error);
int profile_set_process_visits(struct profile *profile,
			       const struct recording_process_visits *process_visits,
			       struct error *error);
/* Of lever record. A stack sample or wake-up with an id replaces that row; else it gets one. */
int profile_add_frame(struct profile *profile, struct recording_frame *frame, struct error *error);
int profile_add_stack(struct profile *profile, struct recording_stack *stack, struct error *error);
int profile_add_thread(struct profile *profile, struct recording_thread *thread,
		       struct error *error);
int profile_set_stack_sample(struct profile *profile, struct recording_stack_sample *stack_sample,
			     struct error *error);
int profile_set_wakeup(struct profile *profile, struct recording_wakeup *wakeup,
		       struct error *error);
/* Of lever trace. */
int profile_add_string(struct profile *profile, struct recording_string *string,
		       struct error *error);
int profile_add_chunk(struct profile *profile, struct recording_chunk *chunk, struct error *error);
/* Of lever scale. A row replaces the one of the same run (and slice and level). */
int profile_set_parallel(struct profile *profile, const struct recording_parallel *parallel,
			 struct error *error);
int profile_set_level(struct profile *profile, const struct recording_level *level,
		      struct error *error);
/* Replaces the row of the same run. */
int profile_set_overhead(struct profile *profile, const struct recording_overhead *overhead,
			 struct error *error);
int profile_set_run_conditions(struct profile *profile,
			       const struct recording_run_conditions *conditions,
			       struct error *error);
int profile_set_what_if(struct profile *profile, const struct recording_what_if *what_if,
			struct error *error);
int profile_add_target_sample(struct profile *profile,
			      const struct recording_target_sample *target_sample,
			      struct error *error);
int profile_add_steal(struct profile *profile, const struct recording_steal *steal,
		      struct error *error);
/* Of several hosts. A row replaces the one of the same run and time. */
int profile_set_clock(struct profile *profile, const struct recording_clock *clock,
		      struct error *error);
int profile_commit(struct profile *profile, struct error *error);

/* Another host of a recording. */
struct profile_host {
	const char *name;
	int64_t first_run_id;                /* of the first host's run here */
	int64_t session_id;                  /* of that, of lever scale; else 0 */
	const struct recording_clock *clock; /* bounds between both; not of lever record */
	size_t clock_count;
};

/* Adds runs of lever record, trace and scale of another file, as those of this host. */
int profile_append(struct profile *profile, const struct recording *from,
		   const struct profile_host *host, struct error *error);
/* What is committed, in one new file; works beside a recorder. */
int profile_copy(const char *path, const char *to, struct error *error);

/*
 * Reads everything that was committed, also after a crash. Works beside a recorder of another
 * process and in read-only directories, and changes nothing there. Must not be called for a file
 * that this process has open by profile_create.
 */
int profile_read(const char *path, struct recording **result, struct error *error);
