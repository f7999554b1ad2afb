// SPDX-License-Identifier: BSD-2-Clause
/* hosts_experiment - what engines predict of a simulated job over several hosts, and what is true.
 */
#include "hosts_experiment.h"

#include <math.h>

#define PERIODS_LEAST 24 /* visits in a window */
#define WARM_UP_LEAST_NS 40000000

struct sum {
	double time_ns, visits, rate, squares;
	uint32_t windows;
};

struct hosts_settings hosts_usual(uint32_t count, uint64_t seed)
{
	struct experiment_settings usual = experiment_usual(2, ENGINE_KERNEL, seed);
	struct hosts_settings settings = {
		.machine = usual.machine,
		.engine = usual.engine,
		.count = count,
		.seed = seed,
		.delay_ns = 200000,
		.report_ns = 20000000,
		.handling_ns = 100000,
		.repeat_ns = 5000000,
		.clock_apart_ns = 3600000000000ull,
		.clock_drift = 50e-6,
	};

	settings.engine.period_ns = usual.densest_ns;
	settings.engine.arrival = ARRIVAL_STAMP;
	return settings;
}

/* ---- windows ---- */

/* Visits by effective time, summed over hosts. */
static void window_run(struct hosts *hosts, uint32_t count, uint64_t window_ns, struct sum *sum)
{
	double rate = 0;

	for (uint32_t i = 0; i < count; i++)
		machine_begin_window(hosts_machine(hosts, i));
	hosts_run(hosts, window_ns);
	for (uint32_t i = 0; i < count; i++) {
		const struct machine *machine = hosts_machine(hosts, i);
		double time = (double)(machine->last_visit_ns - machine->first_visit_ns) -
			      (double)(machine->last_delay_ns - machine->first_delay_ns);
		if (machine->visits < 2 || time <= 0)
			continue;
		rate += ((double)machine->visits - 1) / time;
		sum->visits += (double)machine->visits - 1;
	}
	if (rate <= 0)
		return;
	sum->rate += rate;
	sum->squares += rate * rate;
	sum->windows++;
}

static double sum_rate(const struct sum *sum)
{
	return sum->windows ? sum->rate / sum->windows : 0;
}

/* Standard error, as a share. */
static double sum_error(const struct sum *sum)
{
	double mean = sum_rate(sum), variance = sum->squares / sum->windows - mean * mean;

	return sum->windows > 1 && variance > 0 ? sqrt(variance / (sum->windows - 1)) / mean : 0;
}

static void outcome_set(struct hosts_outcome *outcome, const struct sum *sums)
{
	outcome->is_valid = sums[0].windows > 0;
	for (uint32_t i = 0; i < EXPERIMENT_CUTS; i++) {
		const struct sum *sum = &sums[i + 1];
		double left = sum_rate(&sums[0]) / sum_rate(sum);
		outcome->is_valid &= sum->windows > 0;
		outcome->gain[i] = 1 - left;
		outcome->error[i] = left * hypot(sum_error(&sums[0]), sum_error(sum));
	}
}

/* ---- truth and prediction ---- */

static uint64_t window_of(struct hosts *hosts, const struct hosts_settings *settings)
{
	struct sum sum = {0};
	uint64_t window = WARM_UP_LEAST_NS;

	hosts_run(hosts, window);
	window_run(hosts, settings->count, 4 * window, &sum);
	double wanted = sum.visits > 0 ? PERIODS_LEAST * 4.0 * (double)window / sum.visits : 0;

	return wanted > (double)window ? (uint64_t)wanted : window;
}

void hosts_find_truth(struct hosts *hosts, const struct hosts_settings *usual,
		      const struct job *job, uint32_t rounds, uint64_t *window,
		      struct hosts_outcome *truth)
{
	struct hosts_settings settings = *usual;
	struct sum sums[EXPERIMENT_CUTS + 1] = {0};

	settings.engine.kind = ENGINE_NONE;
	hosts_start(hosts, &settings, job);
	*window = window_of(hosts, &settings);
	for (uint32_t cut = 0; cut <= EXPERIMENT_CUTS; cut++) {
		for (uint32_t i = 0; i < job->count; i++)
			hosts_machine(hosts, i)->target_left = 1 - cut / (double)EXPERIMENT_CUTS;
		hosts_run(hosts, *window);
		for (uint32_t round = 0; round < 2 * rounds; round++)
			window_run(hosts, job->count, *window, &sums[cut]);
	}
	outcome_set(truth, sums);
}

void hosts_predict(struct hosts *hosts, const struct hosts_settings *settings,
		   const struct job *job, uint32_t rounds, uint64_t window,
		   struct hosts_outcome *prediction)
{
	struct sum sums[EXPERIMENT_CUTS + 1] = {0};
	struct random random = random_seeded(settings->seed + 1);
	uint64_t warm_up = window > WARM_UP_LEAST_NS ? window / 2 : WARM_UP_LEAST_NS;
	uint32_t looks = 0;

	prediction->lag_ns = 0;
	hosts_start(hosts, settings, job);
	hosts_run(hosts, warm_up);
	uint64_t began = hosts_now(hosts);
	for (uint32_t round = 0; round < rounds; round++) {
		uint32_t order[EXPERIMENT_CUTS + 1] = {0, 1, 2, 3, 4};
		random_shuffle(&random, order, EXPERIMENT_CUTS + 1, sizeof(order[0]));
		for (uint32_t i = 0; i <= EXPERIMENT_CUTS; i++) {
			hosts_set_speedup(hosts, order[i] / (double)EXPERIMENT_CUTS);
			hosts_run(hosts, warm_up);
			prediction->lag_ns += order[i] ? (double)hosts_lag(hosts) : 0;
			looks += order[i] > 0;
			window_run(hosts, job->count, window, &sums[order[i]]);
		}
	}
	outcome_set(prediction, sums);
	prediction->lag_ns /= looks;
	prediction->reports_per_s =
		(double)hosts_reports(hosts) / ((double)(hosts_now(hosts) - began) / 1e9);
}
