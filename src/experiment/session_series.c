/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session_run_series - a stretch of windows, most often one: arm, let it settle, then of each window measure between
 * edges, judge, write; disarm.
 */
#include "experiment/session_state.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <string.h>

#define VISITS_LEAST 5
#define WINDOW_LONGEST_NS 10000000000ull
#define DISPLACED_MOST 0.03  /* of the window's length, all cores together */
#define DISPLACED_WORST 1.00 /* more is never accepted, however disturbed the machine is */
#define DISPLACED_HISTORY_LEAST 8
#define WARM_UP_SHARE 8 /* a window's part that passes before measuring starts */
#define WARM_UP_LEAST_NS 10000000ull
#define PROBE_LONGEST_NS 3000000000ull /* a stretch that only looks whether the program settles */

int session_arm(struct session *session, struct session_target *target, struct error *error)
{
	int code = session_write_target(session, target, error);
	if (code)
		return code;
	/* Samples belong to where they did before. */
	if (target->is_external)
		return 0;
	/* Set anew each time: more of the target's code may have been found. */
	code = sampled_code_set_target(session->code, &target->what, error);
	if (code == -E2BIG) {
		target->is_unusable = true;
		schedule_end_block(session->schedule);
		session->options->say(session->options->context, error->text);
		return -EAGAIN;
	}
	session->armed_id = target->id;
	return code;
}

static void subtract(struct recording_experiment *experiment,
		     const struct collector_counters *before,
		     const struct collector_counters *after)
{
	experiment->start_ns = before->time_ns;
	experiment->duration_ns = after->time_ns - before->time_ns;
	experiment->delay_ns = after->delay_ns - before->delay_ns;
	experiment->target_ns = after->target_ns - before->target_ns;
	experiment->sampled_ns = after->sampled_ns - before->sampled_ns;
	experiment->displaced_ns = after->displaced_ns - before->displaced_ns;
	experiment->capped = after->capped - before->capped;
}

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;
	return left < right ? -1 : left > right;
}

/*
 * On a machine that never gets calm (a busy host below a VM) the calmer half of the windows counts,
 * rather than none: the intervals tell how much that is worth.
 */
static double displacement_limit(struct session *session)
{
	double sorted[SESSION_HISTORY];
	size_t count = session->displacement_count < SESSION_HISTORY ? session->displacement_count :
								       SESSION_HISTORY;

	if (count < DISPLACED_HISTORY_LEAST)
		return DISPLACED_MOST;
	memcpy(sorted, session->displacements, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_value);
	double median = sorted[count / 2];
	if (median <= DISPLACED_MOST)
		return DISPLACED_MOST;
	return median < DISPLACED_WORST ? median : DISPLACED_WORST;
}

bool session_is_displaced(struct session *session, const struct recording_experiment *experiment)
{
	double share = (double)experiment->displaced_ns / (double)experiment->duration_ns;
	double limit = displacement_limit(session);

	session->displacements[session->displacement_count++ % SESSION_HISTORY] = share;
	if (share <= limit && share > session->displacement_accepted)
		session->displacement_accepted = share;
	return share > limit;
}

static enum verdict judge(struct session *session, const struct recording_experiment *experiment,
			  bool is_whole, double visits)
{
	if (!is_whole)
		return VERDICT_CUT_SHORT;
	if (session_is_displaced(session, experiment))
		return VERDICT_DISPLACED;
	return visits < VISITS_LEAST ? VERDICT_TOO_FEW_VISITS : VERDICT_COUNTED;
}

static void update_live_estimate(struct session *session,
				 const struct recording_experiment *experiment)
{
	for (size_t i = 0; i < experiment->visits.count; i++) {
		const struct recording_visit *visit = &experiment->visits.items[i];
		struct recording_point point = {
			.kind = progress_points_kind(session->points, visit->point_id)};
		live_estimate_add(session->live_estimate, experiment, &point, visit);
	}
}

void session_count_window(struct session *session, const struct recording_experiment *experiment)
{
	if (experiment->verdict != VERDICT_COUNTED)
		session->discarded++;
	else if (experiment->speedup > 0)
		session->experiments++;
	else
		session->controls++;
	/* Where the pauses are what keeps visits away, a longer window would only be a longer pause. */
	bool is_paused = experiment->delay_ns > experiment->duration_ns / 2;
	if (experiment->verdict == VERDICT_TOO_FEW_VISITS && !is_paused &&
	    !session->options->window_ns && session->window_ns < WINDOW_LONGEST_NS)
		session->window_ns *= 2;
}

/* The speedup is over with the last window of a stretch. */
static bool measure(struct session *session, bool is_last, struct collector_counters *before,
		    struct collector_counters *after)
{
	double factor = schedule_jitter(session->schedule);

	collector_counters(session->collector, before);
	collector_window_open(session->collector);
	bool is_whole = session_wait(session, (uint64_t)(factor * (double)session->window_ns));
	collector_window_close(session->collector);
	collector_counters(session->collector, after);
	if (is_last || !is_whole)
		collector_set_speedup(session->collector, 0);
	return is_whole;
}

/* Without a speedup nobody pauses, and there is nothing to be exact about. */
static uint64_t draw_period(struct session *session)
{
	const struct collector_facts *facts = collector_facts(session->collector);
	uint64_t period = schedule_has_speedups(session->schedule) ?
				  sampling_rate_period_ns(&session->sampling_rate, facts->period_ns,
							  facts->shortest_period_ns) :
				  facts->period_ns;

	return (uint64_t)(schedule_jitter(session->schedule) * (double)period);
}

/*
 * How many windows follow each other: most often one, and now and then more, to see whether the program
 * has settled by then (stats/settle.h). With one that takes longer, so many that half of them count.
 */
static unsigned stretch_of(struct session_target *target, double speedup, uint64_t window_ns)
{
	unsigned number = target->series_counts[speedup > 0]++, level = target->warm_up_level;
	unsigned usual = warm_up_skipped(level) ? 2 * warm_up_skipped(level) : 1, probe = usual;

	if (target->is_external)
		return 1;
	/* More often at first. */
	if (level + 1 < WARM_UP_LEVELS && number % (number < 16 ? 16 : 32) == 9)
		probe = warm_up_series(level + 1);
	else if (number % (number < 16 ? 4 : 8) == 2)
		probe = warm_up_series(level);
	return probe * window_ns > PROBE_LONGEST_NS ? usual : probe;
}

/* One window of a stretch; its row is written. Returns whether another one may follow. */
static bool take_window(struct session *session, const struct session_target *target,
			struct recording_experiment *experiment, bool is_last, struct error *error,
			int *code)
{
	struct collector_counters before, after;
	bool is_whole = measure(session, is_last, &before, &after);

	subtract(experiment, &before, &after);
	sampling_rate_update(&session->sampling_rate,
			     experiment->sampled_ns - (after.waited_ns - before.waited_ns),
			     after.waits - before.waits, after.task_wakeups - before.task_wakeups);
	/* When the engine itself was stopped meanwhile, so was the pausing. */
	is_whole = is_whole && after.missed_heartbeats == before.missed_heartbeats;
	double visits = progress_points_collect(session->points, experiment);
	experiment->verdict = judge(session, experiment, is_whole, visits);
	if (!target->is_external)
		session_count_window(session, experiment);
	if (experiment->verdict == VERDICT_COUNTED && !target->is_external)
		update_live_estimate(session, experiment);
	*code = profile_add_experiment(session->profile, experiment, error);
	array_free(&experiment->visits);
	array_free(&experiment->lengths);
	return is_whole && !*code && !is_last && !session_is_interrupted() &&
	       !session_is_over_time(session);
}

static void warm_up(struct session *session)
{
	uint64_t time = session->window_ns / WARM_UP_SHARE;
	session_wait(session, time > WARM_UP_LEAST_NS ? time : WARM_UP_LEAST_NS);
}

static double speedup_of(const struct session_target *target, const struct schedule_plan *plan)
{
	return target->is_external && plan->speedup > 0 ? SESSION_EXTERNAL_SPEEDUP : plan->speedup;
}

int session_run_series(struct session *session, const struct schedule_plan *plan,
		       struct error *error)
{
	struct session_target *target = &session->targets.items[plan->target];
	int code = session_arm(session, target, error);

	if (code)
		return code;
	struct recording_experiment experiment = {.run_id = session->run.id,
						  .target_id = target->id,
						  .speedup = speedup_of(target, plan)};
	session->trials++;
	session->outside_trials += target->is_external;
	int windows = (int)stretch_of(target, plan->speedup, session->window_ns);
	uint64_t began_ns = clock_now_ns();
	collector_set_period(session->collector, draw_period(session));
	collector_clear_debts(session->collector);
	if (target->is_external)
		collector_speed_up_external(session->collector, experiment.speedup);
	else
		collector_set_speedup(session->collector, experiment.speedup);
	warm_up(session);
	while (take_window(session, target, &experiment, experiment.series_index + 1 == windows,
			   error, &code))
		experiment.series_index++;
	collector_set_speedup(session->collector, 0);
	if (plan->speedup > 0)
		session->speedup_ns += clock_now_ns() - began_ns;
	if (windows > 1)
		target->warm_up_level =
			live_estimate_warm_up_level(session->live_estimate, target->id);
	return code ? code : session_update(session, error);
}
