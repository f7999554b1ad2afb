/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cycle - windows of a program that works in cycles begin and end where a cycle does.
 *
 * What passes in windows without a speedup tells, during the whole session, whether there are
 * cycles (rate_cycle.h). Windows from before that is known hold parts of cycles: at the end they no
 * longer count for targets that have enough later ones; of the others a report tells no more than
 * it knows (analyze/causal/cycle_parts.h).
 */
#pragma once

#include "base/error.h"
#include "experiment/rate_cycle.h"
#include "experiment/rate_mix.h"

#include <stdbool.h>
#include <stdint.h>

struct session;
struct recording_experiment;
struct recording_run;
struct wire_sample;

#define SESSION_CYCLE_POINTS 32

struct session_cycle {
	struct rate_cycle points[SESSION_CYCLE_POINTS]; /* as the collector numbers them */
	double visits[SESSION_CYCLE_POINTS];            /* in all, at the last step */
	uint64_t time_ns, delay_ns, displaced_ns;       /* then */
	struct rate_mix mix;                            /* of controls, until there are cycles */
	double cpu_ns, control_ns; /* CPU time in controls, and their time without pauses */
	unsigned point;            /* whose rises begin and end windows */
	uint64_t since_ns;         /* windows do so since; 0: they do not */
	unsigned met, missed;      /* rises that were waited for */
	bool is_given_up, is_watched, is_watching;
};

/* Samples of the present window, or between windows. */
void session_cycle_on_sample(struct session *session, const struct wire_sample *sample);
/* After each window, with the visits of its point. */
void session_cycle_end_window(struct session *session,
			      const struct recording_experiment *experiment, double visits);
void session_cycle_release(struct session_cycle *cycle);
/* Before a series: what passed since the last step is not looked at. */
void session_cycle_begin(struct session *session);
/* Now and then within windows; `is_control`: nothing was sped up since the last step. */
void session_cycle_step(struct session *session, bool is_control);
/*
 * Before each series. Once, if cycles are likely: so many controls without a break, at most, tell;
 * else 0.
 */
unsigned session_cycle_watch(struct session *session, bool is_control);
/* Whether they have just done so. */
bool session_cycle_is_told(struct session *session);
/* Whether windows begin and end with cycles. */
bool session_cycle_is_on(const struct session *session);
/* Waits for the next rise, within limits; false as session_wait. */
bool session_cycle_await(struct session *session, bool is_control);
/*
 * In a window of whole cycles, points that are visited in a part of each have all its time, not
 * that from their first visit to the last.
 */
void session_cycle_count_whole(const struct session *session,
			       struct recording_experiment *experiment);
/* How long windows are at least. */
uint64_t session_cycle_window_ns(const struct session *session);
/* What the run's row tells of cycles. */
void session_cycle_complete(const struct session *session, struct recording_run *run);
/* Windows from before count no longer, where there are enough later ones. */
int session_cycle_finish(struct session *session, struct error *error);
