/* SPDX-License-Identifier: BSD-2-Clause */
/* update - takes in what has arrived, writes what is due, and reports where the session stands. */
#include "experiment/session/drain.h"
#include "experiment/session/state.h"

#include "base/clock.h"

#define COMMIT_EVERY_NS 1000000000ull
#define REPORT_EVERY_NS 500000000ull

static void report_status(struct session *session, uint64_t now_ns)
{
	struct session_status status = {
		.experiments = session->experiments,
		.discarded = session->discarded,
		.targets = live_estimate_targets(session->live_estimate),
		.elapsed_seconds = driver_elapsed_seconds(&session->driver, now_ns),
		.left_seconds = driver_left_seconds(&session->driver, now_ns),
	};
	struct live_estimate_best best;

	if (live_estimate_best(session->live_estimate, &best, 1)) {
		for (size_t i = 0; i < session->targets.count; i++)
			if (session->targets.items[i].id == best.target_id)
				status.best =
					session_target_name(session, &session->targets.items[i]);
		status.best_gain = best.at_quarter.gain;
		status.best_low = best.at_quarter.low;
		status.best_high = best.at_quarter.high;
	}
	session->options->notify(session->options->context, &status);
}

/* Shares are of the sampled time: a live view shows them, too. */
static int write_sampled_time(struct session *session, struct error *error)
{
	struct recording_run *run = &session->driver.run;
	struct collector_counters counters;

	collector_counters(session->collector, &counters);
	run->samples = counters.samples;
	run->sampled_ns = counters.sampled_ns - session->found_points.disturbed_sampled_ns;
	return profile_update_run(session->profile, run, error);
}

int session_update(struct session *session, struct error *error)
{
	uint64_t now = clock_now_ns();

	session_drain(session);
	session_processes_refresh(session);
	int code = sampled_code_update_scope(session->code, error);
	code = code ? code : session_retry_names(session, error);
	code = code ? code : session_requests_refresh(session, error);
	code = code ? code : progress_points_update(session->points, session->profile, error);
	if (!code && now - session->committed_ns > COMMIT_EVERY_NS) {
		session->committed_ns = now;
		code = session_write_samples(session, error);
		code = code ? code : write_sampled_time(session, error);
		code = code ? code : profile_commit(session->profile, error);
	}
	if (now - session->reported_ns > REPORT_EVERY_NS) {
		session->reported_ns = now;
		report_status(session, now);
	}
	return code;
}
