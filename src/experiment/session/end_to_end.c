/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * end_to_end - programs without a progress point: the program runs again and again. Each run is one
 * window, and its end is its only progress.
 */
#include "experiment/session/state.h"
#include "experiment/session/waiting.h"

#include "base/clock.h"
#include "driver/interruption.h"

#include <errno.h>
#include <sys/wait.h>

/* Runs the armed program once from start to end; -ECANCELED when interrupted. */
static int run_once(struct session *session, double speedup,
		    struct recording_experiment *experiment, struct error *error)
{
	struct collector_counters before, after;

	program_release(&session->driver.program);
	collector_clear_debts(session->collector);
	collector_set_speedup(session->collector, speedup);
	collector_counters(session->collector, &before);
	int code = driver_start(&session->driver, error);
	if (code)
		return code;
	while (session_wait(session, 100000000) || !interruption_any()) {
		if (!session_program_runs(session))
			break;
		code = session_update(session, error);
		if (code)
			return code;
	}
	collector_counters(session->collector, &after);
	collector_set_speedup(session->collector, 0);
	if (!session->driver.program.has_ended)
		return -ECANCELED;
	session_subtract(experiment, &before, &after);
	experiment->speedup = speedup;
	experiment->start_ns = session->driver.program.started_ns;
	experiment->duration_ns =
		session->driver.program.ended_ns - session->driver.program.started_ns;
	if (speedup <= 0)
		session->baseline_ns += experiment->duration_ns;
	return session_update(session, error);
}

static int write_run(struct session *session, const struct session_target *target,
		     struct recording_experiment *experiment, int64_t point_id, struct error *error)
{
	struct recording_visit *visit = array_add(&experiment->visits);
	struct session_window window = {.experiment = experiment, .visits = 1, .count = 1};

	*visit = (struct recording_visit){.point_id = point_id,
					  .visits = 1,
					  .duration_ns = experiment->duration_ns,
					  .delay_ns = experiment->delay_ns};
	window.period_ns = collector_facts(session->collector)->period_ns;
	window.displaced_share = displacement_share(experiment);
	window.displaced_limit = displacement_limit(&session->displacement);
	bool counts = displacement_add(&session->displacement, experiment);
	experiment->verdict = counts ? VERDICT_COUNTED : VERDICT_DISPLACED;
	if (counts)
		live_estimate_add(session->live_estimate, experiment, POINT_END_TO_END, false,
				  visit);
	session_count_window(session, target, &window);
	int code = profile_add_experiment(session->profile, experiment, error);
	array_free(&experiment->visits);
	return code;
}

static bool has_failed(struct session *session, struct error *error)
{
	int status = session->driver.program.status;

	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return false;
	error_set(error, -ECHILD,
		  "the program did not end well (%s %d), so its runs cannot be compared; what was "
		  "measured before is in the profile",
		  WIFEXITED(status) ? "exit code" : "signal",
		  WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return true;
}

/* Draws a target and runs the program with it; the first run of all only samples. */
static int run_next(struct session *session, int64_t point_id, struct error *error)
{
	struct recording_experiment experiment = {.run_id = session->driver.run.id};
	struct schedule_plan plan = {0};
	bool has_plan = session_plan(session, &plan);
	int code = 0;

	if (has_plan) {
		struct session_target *target = &session->targets.items[plan.target];
		code = session_arm(session, target, error);
		experiment.target_id = target->id;
	}
	code = code ? code : run_once(session, plan.speedup, &experiment, error);
	if (code)
		return code;
	if (has_failed(session, error))
		return error->code;
	return has_plan ? write_run(session, &session->targets.items[plan.target], &experiment,
				    point_id, error) :
			  0;
}

int session_end_to_end(struct session *session, struct error *error)
{
	struct recording_point point = {.kind = POINT_END_TO_END, .name = (char *)"end-to-end"};
	const struct session_options *options = session->options;
	int code = profile_add_point(session->profile, &point, error);

	for (unsigned run = 0; !code && (!options->runs || run < options->runs); run++) {
		code = run_next(session, point.id, error);
		if (code == -EAGAIN) { /* the target cannot be used */
			code = 0;
			continue;
		}
		if (interruption_any() || driver_time_is_up(&session->driver) ||
		    session_is_precise_enough(session))
			break;
	}
	return code == -ECANCELED ? 0 : code;
}
