/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * series - windows that follow each other on one target at one speedup: most often one.
 *
 * Arm the target, wait until pauses have set in, then measure each window between two readings of
 * the counters, decide whether it counts, write it; disarm.
 */
#include "experiment/session/cycle.h"
#include "experiment/session/drain.h"
#include "experiment/session/marks.h"
#include "experiment/session/state.h"
#include "experiment/session/waiting.h"

#include "base/clock.h"
#include "base/memory.h"
#include "driver/interruption.h"
#include "experiment/progress/progress_visits.h"
#include "experiment/series_length.h"
#include "experiment/window_end.h"

#include <errno.h>

#define WINDOW_LONGEST_NS 10000000000ull
#define MANY_VISITS 100 /* in the last window that counted: one without visits is a stall, ... */
#define STALLED_MOST 4  /* ... and so are some in a row, such as the time-out of a client */
#define LEAD_IN_SHARE 8 /* a window's part that passes before measuring starts */
#define LEAD_IN_LEAST_NS 10000000ull
#define DISPLACED_SPINS_MOST 0.02 /* of a window: who waits for a thread without a core spins on */
#define EXTERNAL_SPEEDUP 0.25

struct series {
	struct session *session;
	struct session_target *target;
	struct recording_experiment experiment;
	uint64_t period_ns;
	int count; /* windows */
};

int session_arm(struct session *session, struct session_target *target, struct error *error)
{
	int code = session_write_target(session, target, error);

	if (code || target->is_external)
		return code;
	/* Set anew each time: more of the target's code may have been found. */
	code = sampled_code_set_target(session->code, &target->spec, &session->assumed, error);
	if (code != -E2BIG)
		return code;
	target->is_unusable = true;
	schedule_end_block(session->schedule);
	driver_message(&session->driver, error->text);
	return -EAGAIN;
}

void session_subtract(struct recording_experiment *experiment,
		      const struct collector_counters *before,
		      const struct collector_counters *after)
{
	experiment->start_ns = before->time_ns;
	experiment->duration_ns = after->time_ns - before->time_ns;
	experiment->delay_ns = after->delay_ns - before->delay_ns;
	experiment->target_ns = after->target_ns - before->target_ns;
	experiment->sampled_ns = after->sampled_ns - before->sampled_ns;
	experiment->waited_ns = after->waited_ns - before->waited_ns;
	experiment->cpu_ns = after->cpu_ns - before->cpu_ns;
	experiment->displaced_ns = after->displaced_ns - before->displaced_ns;
	experiment->capped = after->capped - before->capped;
}

static void update_live_estimate(struct session *session,
				 const struct recording_experiment *experiment)
{
	for (size_t i = 0; i < experiment->visits.count; i++) {
		const struct recording_visit *visit = &experiment->visits.items[i];
		live_estimate_add(session->live_estimate, experiment,
				  progress_visits_kind(session->points, visit->point_id),
				  progress_visits_are_requests(session->points, visit->point_id),
				  visit);
	}
}

static void lengthen_windows(struct session *session, const struct recording_experiment *experiment,
			     double visits)
{
	/* Where pauses keep visits away, a longer window would only be a longer pause. */
	bool is_paused = experiment->delay_ns > experiment->duration_ns / 2;
	bool is_too_few = experiment->verdict == VERDICT_TOO_FEW_VISITS;

	if (experiment->verdict == VERDICT_COUNTED)
		session->last_visits = visits;
	session->too_few = is_too_few ? session->too_few + 1 : 0;
	bool is_stall = session->last_visits >= MANY_VISITS && session->too_few < STALLED_MOST;
	if (is_too_few && !is_paused && !is_stall && !session->options->window_ns &&
	    session->window_ns < WINDOW_LONGEST_NS)
		session->window_ns *= 2;
}

void session_count_window(struct session *session, const struct session_target *target,
			  struct session_window *window)
{
	const struct session_observer *observer = session->options->observer;
	const struct recording_experiment *experiment = window->experiment;
	bool counts = experiment->verdict == VERDICT_COUNTED;

	if (!target->is_external) {
		session->discarded += !counts;
		session->experiments += counts && experiment->speedup > 0;
		session->controls += counts && experiment->speedup <= 0;
		lengthen_windows(session, experiment, window->visits);
	}
	window->target = session_target_name(session, target);
	window->next_window_ns = session->window_ns;
	if (observer)
		observer->window(observer->context, window);
}

/* False as session_wait. A series' later windows begin where the one before has ended. */
static bool begin_with_cycle(struct session *session, const struct recording_experiment *experiment)
{
	if (experiment->series_index)
		return true;
	session_cycle_begin(session);
	return !session_cycle_is_on(session) ||
	       session_cycle_await(session, experiment->speedup <= 0);
}

/* The speedup is over with the last window of a series. */
static bool measure(struct session *session, bool is_last, struct recording_experiment *experiment,
		    struct collector_counters *before, struct collector_counters *after)
{
	double factor = schedule_jitter(session->schedule);
	uint64_t length_ns = (uint64_t)(factor * (double)session->window_ns);

	bool goes_on = begin_with_cycle(session, experiment);
	collector_counters(session->collector, before);
	sampled_code_begin_window(session->code, before->time_ns);
	collector_window_open(session->collector);
	bool is_whole = goes_on && session_wait_marks(session, length_ns, before, experiment);
	collector_window_close(session->collector);
	collector_counters(session->collector, after);
	if (is_last || !is_whole)
		collector_set_speedup(session->collector, 0);
	return is_whole;
}

/* Without a speedup no thread pauses, and the usual period is exact enough. */
static uint64_t draw_period(struct session *session, double speedup)
{
	const struct collector_facts *facts = collector_facts(session->collector);
	uint64_t period = facts->period_ns;

	if (schedule_has_speedups(session->schedule))
		period = sampling_rate_period_ns(&session->sampling_rate, speedup, period,
						 facts->shortest_period_ns);
	else if (session->requests.are_counted)
		period =
			sampling_rate_resting_ns(facts->tick_ns, period, facts->shortest_period_ns);

	return (uint64_t)(schedule_jitter(session->schedule) * (double)period);
}

static unsigned windows_of(struct session *session, struct session_target *target, double speedup)
{
	bool is_undecided;
	uint64_t window_ns = session_cycle_window_ns(session);
	unsigned number = target->series_counts[speedup > 0]++;
	unsigned level = live_estimate_warm_up_level(session->live_estimate, target->id, speedup,
						     &is_undecided);

	if (target->is_external)
		return 1;
	unsigned watched = session_cycle_watch(session, speedup <= 0);
	if (watched)
		return watched;
	if (is_undecided && level && speedup > 0)
		return series_length_longest(window_ns);
	return progress_points_requests(session->points) || session_cycle_is_on(session) ?
		       series_length_of_requests(number, level, window_ns) :
		       series_length(number, level, window_ns);
}

/* Decides whether the window counts, and counts it; its visits are known. */
static void judge(struct series *series, bool is_whole, double visits)
{
	struct session *session = series->session;
	struct recording_experiment *experiment = &series->experiment;
	struct session_window window = {.experiment = experiment,
					.visits = visits,
					.count = series->count,
					.period_ns = series->period_ns};

	window.displaced_share = displacement_share(experiment);
	window.displaced_limit = displacement_limit(&session->displacement);
	if (!is_whole)
		experiment->verdict = VERDICT_CUT_SHORT;
	else if (!displacement_add(&session->displacement, experiment))
		experiment->verdict = VERDICT_DISPLACED;
	else
		experiment->verdict = visits < window_end_visits_least(experiment->duration_ns) ?
					      VERDICT_TOO_FEW_VISITS :
					      VERDICT_COUNTED;
	session_count_window(session, series->target, &window);
	if (experiment->verdict == VERDICT_COUNTED && !series->target->is_external)
		update_live_estimate(session, experiment);
}

static void follow_hand_overs(const struct series *series, const struct collector_counters *before,
			      const struct collector_counters *after)
{
	const struct recording_experiment *experiment = &series->experiment;
	uint64_t samples = after->target_samples - before->target_samples;
	struct sampling_rate_window window = {
		.speedup = experiment->speedup,
		.busy_ns = experiment->sampled_ns - (after->waited_ns - before->waited_ns),
		.target_ns = samples * series->period_ns,
		.hand_overs = after->hand_overs - before->hand_overs,
		.timed_waits = after->timed_waits - before->timed_waits,
		.short_naps = after->short_naps - before->short_naps,
		.short_naps_ns = after->short_naps_ns - before->short_naps_ns};

	const struct delay_spin_repeats *now = &after->spin_repeats, *last = &before->spin_repeats;
	bool is_calm = (double)experiment->displaced_ns <
		       DISPLACED_SPINS_MOST * (double)experiment->duration_ns;
	for (unsigned i = 0; i < 2; i++) {
		window.spins.seen[i] = (double)(now->seen[i] - last->seen[i]) / DELAY_SPIN_ONE;
		window.spins.expected[i] =
			(double)(now->expected[i] - last->expected[i]) / DELAY_SPIN_ONE;
	}
	window.spins.all_ns = (double)(now->spinning_ns - last->spinning_ns);
	window.spins.is_known = is_calm && !(experiment->speedup > 0);
	sampling_rate_update(&series->session->sampling_rate, &window);
}

/* Measures a window and writes its row. Returns whether another one may follow. */
static bool take_window(struct series *series, struct error *error, int *code)
{
	struct session *session = series->session;
	struct recording_experiment *experiment = &series->experiment;
	struct collector_counters before, after;
	bool is_last = experiment->series_index + 1 == series->count;
	bool is_whole = measure(session, is_last, experiment, &before, &after);

	session_subtract(experiment, &before, &after);
	session_drain(session);
	experiment->unrecognized_ns = sampled_code_unrecognized_ns(session->code);
	experiment->target_alone_ns = sampled_code_alone_ns(session->code);
	follow_hand_overs(series, &before, &after);
	/* When the engine itself was stopped meanwhile, so was the pausing. */
	is_whole = is_whole && after.missed_heartbeats == before.missed_heartbeats;
	double visits = progress_visits_collect(session->points, experiment);
	session_cycle_count_whole(session, experiment);
	judge(series, is_whole, visits);
	session_cycle_end_window(session, experiment, visits);
	control_scatter_learn(&session->set_finder.controls, experiment, visits);
	if (experiment->verdict != VERDICT_COUNTED)
		experiment->marks.count = 0; /* no report reads them */
	*code = profile_add_experiment(session->profile, experiment, error);
	array_free(&experiment->visits);
	array_free(&experiment->lengths);
	array_free(&experiment->marks);
	bool is_told = session_cycle_is_told(session);
	return is_whole && !*code && !is_last && !is_told && !interruption_any() &&
	       !driver_time_is_up(&session->driver);
}

/* The first pauses set in before a window opens. */
static void lead_in(struct session *session)
{
	uint64_t time = session->window_ns / LEAD_IN_SHARE;
	session_wait(session, time > LEAD_IN_LEAST_NS ? time : LEAD_IN_LEAST_NS);
}

int session_measure_once(struct session *session, const struct target_spec *target,
			 struct recording_experiment *window, struct error *error)
{
	struct collector_counters before, after;
	uint64_t began_ns = clock_now_ns(), stopped_ns = session->stops.sum_ns;

	if (target) {
		int code = sampled_code_set_target(session->code, target, &session->assumed, error);
		if (code)
			return code;
	}
	collector_set_period(session->collector, draw_period(session, window->speedup));
	collector_clear_debts(session->collector);
	collector_set_speedup(session->collector, window->speedup);
	lead_in(session);
	bool is_whole = measure(session, true, window, &before, &after);
	collector_set_speedup(session->collector, 0);
	session_subtract(window, &before, &after);
	session_drain(session);
	progress_visits_collect(session->points, window);
	if (window->speedup > 0)
		session->speedup_ns +=
			clock_now_ns() - began_ns - (session->stops.sum_ns - stopped_ns);
	return is_whole && after.missed_heartbeats == before.missed_heartbeats &&
			       displacement_add(&session->displacement, window) ?
		       0 :
		       -EAGAIN;
}

static void update_warm_up(struct session *session, struct session_target *target, double speedup)
{
	const struct session_observer *observer = session->options->observer;
	bool is_undecided;
	unsigned level = live_estimate_warm_up_level(session->live_estimate, target->id, speedup,
						     &is_undecided);

	if (observer && level > target->warm_up_level) {
		struct session_warm_up warm_up = {.target = session_target_name(session, target),
						  .skipped = warm_up_skipped(level)};
		observer->warm_up(observer->context, &warm_up);
	}
	if (level > target->warm_up_level)
		target->warm_up_level = level;
}

int session_run_series(struct session *session, const struct schedule_plan *plan,
		       struct error *error)
{
	struct series series = {.session = session,
				.target = &session->targets.items[plan->target]};
	struct session_target *target = series.target;
	double speedup =
		target->is_external && plan->speedup > 0 ? EXTERNAL_SPEEDUP : plan->speedup;
	int code = session_arm(session, target, error);

	if (code)
		return code;
	series.experiment = (struct recording_experiment){.run_id = session->driver.run.id,
							  .target_id = target->id,
							  .speedup = speedup};
	session->series++;
	session->external_series += target->is_external;
	series.count = (int)windows_of(session, target, plan->speedup);
	series.period_ns = series.experiment.period_ns = draw_period(session, speedup);
	uint64_t began_ns = clock_now_ns(), stopped_ns = session->stops.sum_ns;
	collector_set_period(session->collector, series.period_ns);
	collector_clear_debts(session->collector);
	if (target->is_external)
		collector_speed_up_external(session->collector, speedup);
	else
		collector_set_speedup(session->collector, speedup);
	lead_in(session);
	while (take_window(&series, error, &code))
		series.experiment.series_index++;
	collector_set_speedup(session->collector, 0);
	if (plan->speedup > 0)
		session->speedup_ns +=
			clock_now_ns() - began_ns - (session->stops.sum_ns - stopped_ns);
	if (!target->is_external)
		update_warm_up(session, target, speedup);
	return code ? code : session_update(session, error);
}
