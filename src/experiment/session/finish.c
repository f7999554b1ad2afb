/* SPDX-License-Identifier: BSD-2-Clause */
/* finish - completes the run's row, writes what was not written yet, and frees everything. */
#include "experiment/session/drain.h"
#include "experiment/session/state.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "symbolize/source_lines.h"

#include <stdlib.h>

/* Of the run's time: when samples were taken, which shares and phases are told by. */
static uint64_t sampled_time_ns(const struct session *session)
{
	uint64_t start_ns = session->driver.program.started_ns;

	if (collector_samples_when_disarmed(session->collector) || session->over_ns <= start_ns ||
	    session->over_ns - start_ns > session->driver.run.wall_ns)
		return session->driver.run.wall_ns;
	return session->over_ns - start_ns;
}

/* A limit of the load is a warning of the report, too. */
static void tell_requests(struct session *session)
{
	bool is_idle;
	AUTO(text) char *served = session_requests_served(session, &is_idle);

	if (served && !is_idle)
		driver_message(&session->driver, served);
}

/* One that is started anew has other processes, which a port or a cgroup takes in. */
static void tell_server_ended(struct session *session)
{
	bool has_port = session->driver.options->selection.port_count;

	if (session->driver.options->arguments || !session->requests.are_counted ||
	    session_program_runs(session))
		return;
	AUTO(text)
	char *sentence = text_format(
		"the server has ended%s, and so has measuring, after %.1f s%s",
		has_port ? " and none has been started on its port" : "",
		driver_elapsed_seconds(&session->driver, session->over_ns),
		has_port ? "" :
			   "; one that was started anew is another program: run lever with --port "
			   "or --cgroup, which take it in");
	driver_message(&session->driver, sentence);
}

static uint64_t retried_ns(const struct session *session)
{
	size_t count;
	const struct sampled_location *locations = sampled_code_locations(session->code, &count);
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < count; i++)
		sum_ns += locations[i].retried_ns;
	return sum_ns;
}

static void complete_run(struct session *session)
{
	const struct session_observer *observer = session->options->observer;
	struct recording_run *run = &session->driver.run;
	struct collector_counters counters;

	session_drain(session);
	collector_counters(session->collector, &counters);
	run->wall_ns = (session->driver.program.ended_ns ? session->driver.program.ended_ns :
							   clock_now_ns()) -
		       session->driver.program.started_ns;
	run->delay_ns = counters.delay_ns;
	run->samples = counters.samples;
	run->sampled_ns = counters.sampled_ns - session->found_points.disturbed_sampled_ns;
	run->paused_ns = counters.spun_ns;
	if (!session->options->period_ns && counters.samples) { /* it has varied: sampling_rate.h */
		const struct collector_facts *facts = collector_facts(session->collector);
		run->period_ns = (counters.sampled_ns - counters.waited_ns) / counters.samples;
		run->interrupt_share = (double)facts->tick_ns / (double)run->period_ns;
	}
	run->hand_over_ns = sampling_rate_work_ns(&session->sampling_rate);
	run->poll_ns = sampling_rate_poll_ns(&session->sampling_rate, run->period_ns);
	run->brief_spin_share = sampling_rate_brief_spin_share(&session->sampling_rate);
	run->crowded_ns = counters.crowded_ns;
	run->unused_ns = counters.unused_ns;
	run->retried_ns = retried_ns(session);
	run->lost = counters.lost;
	run->capped = counters.capped;
	run->unwound_badly = counters.unwound_badly;
	run->baseline_ns = session->options->end_to_end ?
				   session->baseline_ns :
				   sampled_time_ns(session) - session->stops.sum_ns -
					   session->speedup_ns - session->found_points.disturbed_ns;
	run->wall_ns -= session->stops.sum_ns;
	session_cycle_complete(session, run);
	run->note = session_warnings(session, &counters);
	tell_server_ended(session);
	tell_requests(session);
	if (observer)
		observer->finished(observer->context, &counters);
}

/* The ticks' time is known from the start; of the rest, pauses are most, and counted apart. */
static void complete_overhead(struct session *session)
{
	struct recording_overhead *row = &session->driver.overhead;

	overhead_end(&session->overhead, row);
	row->knows_kernel = true;
	row->kernel_ns = session->driver.run.samples * collector_facts(session->collector)->tick_ns;
}

int session_finish(struct driver *driver, struct error *error)
{
	struct session *session = session_of(driver);

	complete_run(session);
	complete_overhead(session);
	int code = progress_points_update(session->points, session->profile, error);
	code = code ? code : session_write_set_search(session, error);
	code = code ? code : session_cycle_finish(session, error);
	return code ? code : session_write_samples(session, error);
}

void session_close(struct driver *driver)
{
	struct session *session = session_of(driver);

	process_list_release(&session->peers);
	session_requests_close(session);
	session_processes_close(session);
	collector_close(session->collector);
	progress_points_free(session->points);
	sampled_code_free(session->code);
	symbols_free(session->symbols);
	source_lines_free(session->source_lines);
	schedule_free(session->schedule);
	live_estimate_free(session->live_estimate);
	session_found_points_release(&session->found_points);
	session_set_finder_release(&session->set_finder);
	session_cycle_release(&session->cycle);
	array_free(&session->targets);
	array_free(&session->callers);
	session_free_named(session);
}
