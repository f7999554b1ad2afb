/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session_end_to_end - programs without a progress point: the program is run again and again, each
 * run is one experiment, and its end is its only progress.
 */
#include "experiment/session_state.h"

#include "base/clock.h"

#include <errno.h>
#include <sys/wait.h>

/* Runs the armed program once from start to end; -ECANCELED when interrupted. */
static int run_once(struct session *session, double speedup,
		    struct recording_experiment *experiment, struct error *error)
{
	struct collector_counters before, after;

	program_release(&session->program);
	collector_clear_debts(session->collector);
	collector_set_speedup(session->collector, speedup);
	collector_counters(session->collector, &before);
	int code = session_start_program(session, error);
	if (code)
		return code;
	while (session_wait(session, 100000000) || !session_is_interrupted()) {
		if (!session_program_runs(session))
			break;
		code = session_update(session, error);
		if (code)
			return code;
	}
	collector_counters(session->collector, &after);
	collector_set_speedup(session->collector, 0);
	if (!session->program.has_ended)
		return -ECANCELED;
	experiment->speedup = speedup;
	experiment->start_ns = session->program.started_ns;
	experiment->duration_ns = session->program.ended_ns - session->program.started_ns;
	experiment->delay_ns = after.delay_ns - before.delay_ns;
	experiment->target_ns = after.target_ns - before.target_ns;
	experiment->sampled_ns = after.sampled_ns - before.sampled_ns;
	experiment->displaced_ns = after.displaced_ns - before.displaced_ns;
	experiment->capped = after.capped - before.capped;
	if (speedup <= 0)
		session->baseline_ns += experiment->duration_ns;
	return session_update(session, error);
}

static int write_run(struct session *session, struct recording_experiment *experiment,
		     int64_t point_id, struct error *error)
{
	struct recording_point point = {.kind = POINT_END_TO_END};
	struct recording_visit *visit = array_add(&experiment->visits);

	*visit = (struct recording_visit){.point_id = point_id,
					  .visits = 1,
					  .duration_ns = experiment->duration_ns,
					  .delay_ns = experiment->delay_ns};
	experiment->verdict =
		session_is_displaced(session, experiment) ? VERDICT_DISPLACED : VERDICT_COUNTED;
	if (experiment->verdict == VERDICT_COUNTED)
		live_estimate_add(session->live_estimate, experiment, &point, visit);
	session_count_window(session, experiment);
	int code = profile_add_experiment(session->profile, experiment, error);
	array_free(&experiment->visits);
	return code;
}

static bool has_failed(struct session *session, struct error *error)
{
	int status = session->program.status;

	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return false;
	error_set(error, -ECHILD,
		  "the program did not end well (%s %d), so its runs cannot be compared; what was "
		  "measured before is in the profile",
		  WIFEXITED(status) ? "exit code" : "signal",
		  WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return true;
}

/* The next target, or none yet: the first run only looks. */
static bool choose(struct session *session, struct schedule_plan *plan)
{
	double *weights = session_weights(session);
	bool has_plan = schedule_next(session->schedule, weights, session->targets.count, plan);

	free(weights);
	return has_plan;
}

int session_end_to_end(struct session *session, struct error *error)
{
	struct recording_point point = {.kind = POINT_END_TO_END, .name = (char *)"end-to-end"};
	const struct session_options *options = session->options;
	int code = profile_add_point(session->profile, &point, error);

	for (unsigned run = 0; !code && (!options->runs || run < options->runs); run++) {
		struct recording_experiment experiment = {.run_id = session->run.id};
		struct schedule_plan plan;
		bool has_plan = choose(session, &plan);
		if (has_plan) {
			code = session_arm(session, &session->targets.items[plan.target], error);
			if (code == -EAGAIN) {
				code = 0;
				continue;
			}
			experiment.target_id = session->armed_id;
		}
		code = code ? code :
			      run_once(session, has_plan ? plan.speedup : 0, &experiment, error);
		if (code || has_failed(session, error))
			break;
		if (has_plan)
			code = write_run(session, &experiment, point.id, error);
		if (session_is_interrupted() || session_is_over_time(session) ||
		    session_is_precise_enough(session))
			break;
	}
	if (!code && error->code)
		code = error->code;
	return code == -ECANCELED ? 0 : code;
}
