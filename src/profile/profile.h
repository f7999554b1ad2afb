/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile - the .lever file: one SQLite database, written while the program runs.
 *
 * Life: profile_create, then profile_add_* in any order that respects the ids, profile_commit now
 * and then (nothing is on disk before), profile_update_run at the end, profile_close. After kill -9
 * everything up to the last commit is readable. Readers: profile_read, with the path only.
 *
 * Every function that can fail returns 0 or -errno and explains it (disk full, not a profile, made
 * by a newer lever, damaged, locked). The file belongs to the user behind sudo.
 */
#pragma once

#include "base/error.h"
#include "profile/recording.h"

struct profile;

/* Opens for adding; makes the file if it is missing, replaces its content if `fresh`. */
int profile_create(const char *path, bool fresh, struct profile **result, struct error *error);
void profile_close(struct profile *profile); /* commits */

/* Each fills in the id of the row. The same target or point (all texts equal) gets its old id. */
int profile_add_run(struct profile *profile, struct recording_run *run, struct error *error);
int profile_update_run(struct profile *profile, const struct recording_run *run,
		       struct error *error);
int profile_add_target(struct profile *profile, struct recording_target *target,
		       struct error *error);
int profile_add_point(struct profile *profile, struct recording_point *point, struct error *error);
int profile_add_experiment(struct profile *profile, struct recording_experiment *experiment,
			   struct error *error);
/* These replace what was said of the same run and target (or point) before. */
int profile_set_sample(struct profile *profile, const struct recording_sample *sample,
		       struct error *error);
int profile_set_total(struct profile *profile, const struct recording_total *total,
		      struct error *error);
int profile_set_process_visits(struct profile *profile,
			       const struct recording_process_visits *process_visits,
			       struct error *error);
/* Of lever record. A stack_sample with an id replaces what was said under it; without, it gets one. */
int profile_add_frame(struct profile *profile, struct recording_frame *frame, struct error *error);
int profile_add_stack(struct profile *profile, struct recording_stack *stack, struct error *error);
int profile_add_thread(struct profile *profile, struct recording_thread *thread,
		       struct error *error);
int profile_set_stack_sample(struct profile *profile, struct recording_stack_sample *stack_sample,
			     struct error *error);
/* Of lever trace. */
int profile_add_string(struct profile *profile, struct recording_string *word, struct error *error);
int profile_add_chunk(struct profile *profile, struct recording_chunk *chunk, struct error *error);
/* Of lever scale. Each replaces what was said of the same run (and slice and level). */
int profile_set_parallel(struct profile *profile, const struct recording_parallel *parallel,
			 struct error *error);
int profile_set_level(struct profile *profile, const struct recording_level *level,
		      struct error *error);
/* Replaces what was said of the same run. */
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
int profile_commit(struct profile *profile, struct error *error);

/*
 * Reads everything; a file torn by a crash gives what its last commit held. Works beside a recorder
 * of another process and in places that cannot be written, and changes nothing there. Not for a
 * file that this process itself has open by profile_create.
 */
int profile_read(const char *path, struct recording **result, struct error *error);
