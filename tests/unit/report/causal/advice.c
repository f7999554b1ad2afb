/* SPDX-License-Identifier: BSD-2-Clause */
/* advice - what is told of contention and of idle cores. */
#include "report/causal/advice.h"

#include "base/cleanup.h"
#include "base/text.h"

#include "check.h"

static unsigned contentions_with(double gain, double half_interval)
{
	struct recording_point point = {.kind = POINT_THROUGHPUT};
	struct recording_target named = {.kind = TARGET_CLASS};
	struct causal_target target = {.target = &named, .share = 0.5};
	struct causal_effect effect = {.point = &point};
	struct target_verdict verdict = {.target = &target,
					 .effect = &effect,
					 .outcome = OUTCOME_CONTENTION,
					 .at = {.gain = gain,
						.low = gain - half_interval,
						.high = gain + half_interval}};
	struct target_verdicts verdicts = {.items = &verdict, .count = 1};
	struct recording recording = {0};
	struct report report = {.recording = &recording};
	struct advice advice = advice_of(&report, &verdicts);

	return advice.contention.count;
}

TEST("a loss of more than all time is no contention")
{
	CHECK_EQUAL(contentions_with(-0.3, 0), 1);
	CHECK_EQUAL(contentions_with(-3.6, 0), 0);
}

TEST("nobody is told to leave code alone by a loss whose interval holds zero")
{
	CHECK_EQUAL(contentions_with(-0.022, 0.02), 1);
	CHECK_EQUAL(contentions_with(-0.022, 0.026), 0);
}

TEST("a program with one active thread is told what its other cores could save at most")
{
	struct advice one = {.busy_cores = 1, .cores = 4}, full = {.busy_cores = 4, .cores = 4};
	AUTO(text) char *idle = advice_limits(&one);
	AUTO(text) char *busy = advice_limits(&full);

	CHECK(strstr(idle, "save up to 75 % of the time"));
	CHECK(strstr(busy, "4.0 of 4 cores are busy"));
}

TEST("CPU time that pauses do not stop is no proof that a device or a timer sets the pace")
{
	struct recording_target named = {.kind = TARGET_FUNCTION, .name = (char *)"work"};
	struct causal_target target = {.target = &named, .share = 0.5};
	struct recording_point visits = {.kind = POINT_THROUGHPUT},
			       sampled = {.kind = POINT_SAMPLED};
	struct causal_effect effect = {.point = &visits, .external_pacing = {.share = 0.3}};
	struct target_verdict verdict = {.target = &target, .effect = &effect};
	struct target_verdicts verdicts = {.items = &verdict, .count = 1};
	struct recording recording = {0};
	struct report report = {.recording = &recording};
	struct advice by_visits = advice_of(&report, &verdicts);
	AUTO(text) char *set_outside = advice_limits(&by_visits);

	effect.point = &sampled;
	struct advice by_time = advice_of(&report, &verdicts);
	AUTO(text) char *not_stopped = advice_limits(&by_time);

	CHECK(text_starts_with(set_outside, "30 % of its pace is set from outside"));
	CHECK(text_starts_with(not_stopped, "30 % of its CPU time does not stop while it pauses"));
	CHECK(strstr(not_stopped, "or its threads contend"));
}

TEST("clients use a server's cores, too: doing parts side by side is no advice")
{
	struct advice server = {.busy_cores = 1, .cores = 2, .serves = true};
	AUTO(text) char *limits = advice_limits(&server);

	CHECK_TEXT(limits,
		   "Its own threads use 1.0 of 2 cores; clients on this machine use some, too.");
}

TEST("where one thread runs at a time, threads that are always idle make no place small")
{
	struct recording_target named = {.kind = TARGET_FUNCTION};
	struct causal_target target = {.target = &named, .share = 0.09};
	struct causal_effect effect = {.slope = {.slope = 0.66, .low = 0.6, .high = 0.72}};
	struct target_verdict verdict = {.target = &target, .effect = &effect};
	struct advice one = {.busy_cores = 1, .cores = 2}, two = {.busy_cores = 2, .cores = 2};
	AUTO(text) char *alone = advice_why(&one, &verdict);
	AUTO(text) char *beside = advice_why(&two, &verdict);

	CHECK_TEXT(alone, "it takes 66 % of the time, and nothing runs beside it");
	CHECK(strstr(beside, "it takes only 9 % of all threads' time"));
}

TEST("a thread that sleeps all the time is none that waits for a place")
{
	struct recording_target code = {.kind = TARGET_FUNCTION, .name = (char *)"lookup"};
	struct recording_target nap = {.kind = TARGET_SYSTEM_CALL,
				       .name = (char *)"syscall:clock_nanosleep"};
	struct causal_target targets[] = {{.target = &code, .share = 0.48},
					  {.target = &nap, .share = 0.38}};
	struct causal causal = {.targets = targets, .count = 2};
	struct recording recording = {0};
	struct report report = {.recording = &recording, .causal = &causal};
	struct target_verdicts verdicts = {0};
	struct advice advice = advice_of(&report, &verdicts);
	struct causal_effect effect = {.slope = {.slope = 0.83, .low = 0.7, .high = 0.96}};
	struct target_verdict verdict = {.target = &targets[0], .effect = &effect};
	AUTO(text) char *naps = advice_why(&advice, &verdict);

	CHECK_TEXT(naps, "it takes 77 % of the time in which threads do not sleep; the pace "
			 "depends on it for 83 % of the time");
	targets[1].share = 0.02;
	advice = advice_of(&report, &verdicts);
	AUTO(text) char *waits = advice_why(&advice, &verdict);
	CHECK(strstr(waits, "83 % of the time: others wait for it, or do work that is not "
			    "counted"));
}

TEST("a program whose cores others took is not said to wait")
{
	struct recording_experiment experiment = {.run_id = 1,
						  .duration_ns = 1000,
						  .displaced_ns = 750};
	struct recording_run run = {.id = 1,
				    .engine = (char *)"kernel",
				    .wall_ns = 1000,
				    .samples = 25,
				    .period_ns = 10};
	struct recording recording = {.runs = {.items = &run, .count = 1},
				      .experiments = {.items = &experiment, .count = 1}};
	struct report report = {.recording = &recording};
	struct target_verdicts verdicts = {0};
	struct advice advice = advice_of(&report, &verdicts);
	AUTO(text) char *disturbed = advice_limits(&advice);

	CHECK(text_starts_with(disturbed, "Other programs took 75 % of the core time"));
	experiment.displaced_ns = 0;
	advice = advice_of(&report, &verdicts);
	AUTO(text) char *waits = advice_limits(&advice);
	CHECK(text_starts_with(waits, "It waits for most of the time"));
}

TEST("the only gain of a function around the whole program is said to tell no place")
{
	struct recording_target named = {.kind = TARGET_INCLUSIVE};
	struct causal_target target = {.target = &named, .share = 0.99};
	struct causal_effect effect = {.slope = {.slope = 1, .low = 0.9, .high = 1.1}};
	struct target_verdict verdict = {.target = &target, .effect = &effect};
	struct advice one = {.busy_cores = 1, .cores = 2, .all_gains_count = 1};
	struct advice two = {.busy_cores = 1, .cores = 2, .all_gains_count = 2};
	AUTO(text) char *alone = advice_why(&one, &verdict);
	AUTO(text) char *beside = advice_why(&two, &verdict);

	CHECK(strstr(alone, "which part of it gains is not sure yet"));
	CHECK(strstr(beside, "it takes 99 % of the time"));
}
