/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * set_finder - looks for functions that gain only together, while the program runs.
 *
 * Between blocks of other experiments, as set_search.h asks. A set that is found becomes a target
 * like one of --with, and later experiments confirm it or do not. Its own measurements are not kept
 * as experiments: the set was chosen by them.
 */
#pragma once

#include "base/error.h"
#include "experiment/control_scatter.h"
#include "experiment/set_search.h"
#include "experiment/target/target_spec.h"
#include "experiment/thread_roles.h"

struct recording_experiment;
struct session;
struct wire_sample;

struct session_set_finder {
	struct thread_roles roles;
	struct set_search *search; /* NULL: not begun, or over */
	uint32_t locations[SET_SEARCH_CANDIDATES_MOST];
	size_t count;
	struct target_set members; /* of what is measured */
	int64_t point_id;          /* by which gains are told */
	uint64_t spent_ns;         /* on this search */
	uint64_t next_ns;          /* when one may begin */
	unsigned searches, sets, failed;
	struct control_scatter controls; /* tells how long a search takes */
	bool is_over;
};

/*
 * series.c: one window outside of a series, at window->speedup, with visits; `target` is armed,
 * unless it is NULL. -EAGAIN: it does not count.
 */
int session_measure_once(struct session *session, const struct target_spec *target,
			 struct recording_experiment *window, struct error *error);
/* Measures a few sets, if it is time for that. */
int session_find_sets(struct session *session, struct error *error);
/* Writes what the search that goes on has measured. */
int session_write_set_search(struct session *session, struct error *error);
void session_set_finder_on_sample(struct session *session, const struct wire_sample *sample);
void session_set_finder_release(struct session_set_finder *finder);
