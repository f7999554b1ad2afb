// SPDX-License-Identifier: BSD-2-Clause
/* experiment - what an engine predicts of a simulated program, and what is true. */
#include "experiment.h"

#include "experiment/sampling_rate.h"

#include <math.h>
#include <stdio.h>

#define PERIODS_LEAST 24 /* visits in a window */
#define WINDOW_MOST_NS 2000000000ull
#define STEP_BEFORE 0.03 /* of a cut, in which a gain grows by as much at most */
#define STEP_LEAST 0.07

/* Sums over the windows at one speedup. */
struct sum {
	double time_ns, visits;
	double periods, squares; /* of each window's period */
	uint32_t windows;
};

struct experiment_settings experiment_usual(uint32_t cores, enum engine_kind kind, uint64_t seed)
{
	return (struct experiment_settings){
		.machine = {.seed = seed,
			    .cores = cores,
			    .switch_ns = 1200,
			    .call_ns = 1000,
			    .idle_exit_ns = 3000,
			    .interrupt_ns = 1000,
			    .late_most_ns = 4000,
			    .slice_ns = 3000000,
			    .preempt_ns = 1000000,
			    .scheduler_tick_ns = 4000000},
		.engine = {.kind = kind,
			   .period_ns = 250000,
			   .overhead_ns = 4000,
			   .handler_ns = 1000,
			   .cap_ns = 2000000,
			   .overshoot_ns = 150,
			   .sleep_late_ns = 55000},
		.densest_ns = 60000,
		.window_ns = 40000000,
		.warm_up_ns = 40000000,
		.rounds = 12,
		.true_rounds = 24,
	};
}

void experiment_on_virtual_machine(struct experiment_settings *settings)
{
	settings->machine.idle_exit_ns = 25000;
	settings->machine.interrupt_ns = 9000;
	settings->machine.call_ns = 3000;
	settings->machine.switch_ns = 2500;
	settings->machine.late_most_ns = 15000;
	settings->engine.overhead_ns = 18000;
	settings->engine.handler_ns = 7000;
	settings->densest_ns = 80000;
}

static void window_run(struct machine *machine, uint64_t warm_up_ns, uint64_t window_ns,
		       struct sum *sum)
{
	machine_run(machine, machine->now_ns + warm_up_ns);
	machine_begin_window(machine);
	machine_run(machine, machine->now_ns + window_ns);
	if (machine->visits < 2)
		return;
	double time = (double)(machine->last_visit_ns - machine->first_visit_ns) -
		      (double)(machine->last_delay_ns - machine->first_delay_ns);
	double visits = (double)machine->visits - 1;
	if (time <= 0)
		return;
	sum->time_ns += time;
	sum->visits += visits;
	sum->periods += time / visits;
	sum->squares += time / visits * (time / visits);
	sum->windows++;
}

static double sum_period(const struct sum *sum)
{
	return sum->visits > 0 ? sum->time_ns / sum->visits : 0;
}

/* Standard error of the mean period, as a share of it. */
static double sum_error(const struct sum *sum)
{
	double count = sum->windows, mean = sum->periods / count;
	double variance = sum->squares / count - mean * mean;

	return count > 1 && variance > 0 ? sqrt(variance / (count - 1)) / mean : 0;
}

/* ---- what is true ---- */

/* Windows long enough for a number of visits; also warms the machine up. */
static bool lengths_find(struct machine *machine, const struct experiment_settings *settings,
			 struct experiment_truth *truth)
{
	struct sum sum = {0};

	truth->window_ns = settings->window_ns;
	truth->warm_up_ns = settings->warm_up_ns;
	while (!sum.windows && truth->window_ns < WINDOW_MOST_NS) {
		window_run(machine, truth->warm_up_ns, truth->window_ns, &sum);
		if (!sum.windows)
			truth->window_ns *= 4;
	}
	double wanted = sum_period(&sum) * PERIODS_LEAST;
	if (wanted > (double)truth->window_ns)
		truth->window_ns = (uint64_t)wanted;
	if (truth->warm_up_ns < truth->window_ns / 4)
		truth->warm_up_ns = truth->window_ns / 4;
	return sum.windows && truth->window_ns < WINDOW_MOST_NS;
}

/* The time between two visits if the target is shorter by `cut`. */
static double true_period(struct machine *machine, const struct experiment_settings *settings,
			  struct experiment_truth *truth, double cut)
{
	struct sum sum = {0};

	machine->target_left = 1 - cut;
	for (uint32_t round = 0; round < settings->true_rounds; round++)
		window_run(machine, round ? 0 : truth->warm_up_ns, truth->window_ns, &sum);
	truth->windows += settings->true_rounds;
	truth->is_valid &= sum.windows > 0;
	return sum_period(&sum);
}

void experiment_find_truth(struct machine *machine, const struct program *program,
			   const struct experiment_settings *settings,
			   struct experiment_truth *truth)
{
	const struct engine_settings none = {.kind = ENGINE_NONE};

	*truth = (struct experiment_truth){0};
	machine_start(machine, &settings->machine, &none, program);
	truth->is_valid = lengths_find(machine, settings, truth);
	if (!truth->is_valid)
		return;
	truth->period_ns = true_period(machine, settings, truth, 0);
	for (uint32_t i = 0; i < EXPERIMENT_CUTS; i++) {
		double cut = (i + 1) / (double)EXPERIMENT_CUTS;
		double gain = 1 - true_period(machine, settings, truth, cut) / truth->period_ns;
		double before = 1 - true_period(machine, settings, truth, cut - STEP_BEFORE) /
					    truth->period_ns;
		truth->gain[i] = gain;
		truth->is_step[i] = fabs(gain - before) > STEP_LEAST;
	}
	truth->events = machine->events_done;
}

/* ---- what an engine predicts ---- */

/* As the session does between windows, by what they tell. */
static void sampling_follow(struct machine *machine, const struct experiment_settings *settings,
			    double speedup, struct sampling_rate *rate)
{
	struct sampling_rate_window window = engine_take_load(machine, speedup);

	if (settings->fixed_period_ns) {
		engine_set_period(machine, settings->fixed_period_ns);
		return;
	}
	sampling_rate_update(rate, &window);
	engine_set_period(machine, (uint32_t)sampling_rate_period_ns(rate, speedup,
								     settings->engine.period_ns,
								     settings->densest_ns));
}

void experiment_predict(struct machine *machine, const struct program *program,
			const struct experiment_settings *settings,
			const struct experiment_truth *truth,
			struct experiment_prediction *prediction)
{
	struct sum sums[EXPERIMENT_CUTS + 1] = {0};
	struct random random = random_seeded(settings->machine.seed + 1);
	struct sampling_rate rate = {0};
	double error = 0, speedup = 0;

	*prediction = (struct experiment_prediction){.is_valid = truth->is_valid};
	machine_start(machine, &settings->machine, &settings->engine, program);
	machine_run(machine, machine->now_ns + truth->warm_up_ns);
	for (uint32_t round = 0; prediction->is_valid && round < settings->rounds; round++) {
		uint32_t order[EXPERIMENT_CUTS + 1] = {0, 1, 2, 3, 4};
		random_shuffle(&random, order, EXPERIMENT_CUTS + 1, sizeof(order[0]));
		for (uint32_t i = 0; i <= EXPERIMENT_CUTS; i++) {
			sampling_follow(machine, settings, speedup, &rate);
			speedup = order[i] / (double)EXPERIMENT_CUTS;
			engine_set_speedup(machine, speedup);
			window_run(machine, truth->warm_up_ns, truth->window_ns, &sums[order[i]]);
			prediction->windows++;
		}
	}
	double base = prediction->period_ns = sum_period(&sums[0]);
	for (uint32_t i = 0; i < EXPERIMENT_CUTS; i++) {
		double period = sum_period(&sums[i + 1]);
		prediction->is_valid &= sums[i + 1].windows > 0;
		prediction->gain[i] = 1 - period / base;
		error += period / base * hypot(sum_error(&sums[0]), sum_error(&sums[i + 1]));
	}
	prediction->error = error / EXPERIMENT_CUTS;
	prediction->sampling_ns = machine->engine.delay.period_ns;
	prediction->events = machine->events_done;
	const struct engine_lag *lag = &machine->engine.lag;
	prediction->lag_ns = lag->payments ? (double)lag->sum_ns / (double)lag->payments : 0;
	prediction->lag_most_ns = (double)lag->most_ns;
}

void experiment_trace(struct machine *machine, const struct program *program,
		      const struct experiment_settings *settings, double speedup,
		      uint64_t length_ns)
{
	struct sum sum = {0};

	machine_start(machine, &settings->machine, &settings->engine, program);
	engine_set_period(machine, settings->fixed_period_ns ? settings->fixed_period_ns :
							       settings->densest_ns);
	machine_run(machine, machine->now_ns + settings->warm_up_ns);
	engine_set_speedup(machine, speedup);
	machine_run(machine, machine->now_ns + settings->warm_up_ns);
	machine->engine.settings.is_traced = true;
	window_run(machine, 0, length_ns, &sum);
	printf("%u visits, effective time between two %.1f us, G grew by %.1f us\n",
	       (unsigned)machine->visits, sum_period(&sum) / 1e3,
	       (double)(engine_delay(machine) - machine->engine.delay.generation_delay_ns) / 1e3);
}
