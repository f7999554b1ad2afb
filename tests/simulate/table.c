// SPDX-License-Identifier: BSD-2-Clause
/* table - errors of predictions, by pattern, by number of cores, and by engine. */
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define PATTERNS_MOST 64

/* Errors of some predictions, in percentage points. */
struct cell {
	double errors, biases, worst; /* sums; the worst of all cuts */
	double lags, lag_most;        /* us: a sum; the longest */
	uint32_t count, lag_count, points, steps, worst_cores;
	uint64_t worst_seed;
};

struct counts {
	uint64_t windows, true_windows, events;
	uint32_t programs, invalid;
	double noise; /* sum of the standard errors */
	double predicting_s, truth_s;
	uint64_t windows_by_cores[TABLE_CORES_MOST];
	double seconds_by_cores[TABLE_CORES_MOST];
};

static const char *const engine_names[] = {"none", "kernel", "runtime"};
static struct cell by_pattern[PATTERNS_MOST][3], by_cores[TABLE_CORES_MOST][3], in_all[3];
static struct machine machine;

static void cell_add(struct cell *cell, const struct experiment_truth *truth,
		     const struct experiment_prediction *prediction,
		     const struct machine_settings *settings)
{
	for (uint32_t i = 0; i < EXPERIMENT_CUTS; i++) {
		double error = 100 * (prediction->gain[i] - truth->gain[i]);
		cell->steps += truth->is_step[i];
		if (truth->is_step[i])
			continue;
		cell->points++;
		cell->errors += fabs(error);
		cell->biases += error;
		if (fabs(error) > fabs(cell->worst)) {
			cell->worst = error;
			cell->worst_seed = settings->seed;
			cell->worst_cores = settings->cores;
		}
	}
	cell->count++;
	cell->lag_count += prediction->lag_most_ns > 0;
	cell->lags += prediction->lag_ns / 1e3;
	cell->lag_most = fmax(cell->lag_most, prediction->lag_most_ns / 1e3);
}

static void program_list(const struct program *program, const struct machine_settings *settings,
			 enum engine_kind kind, const struct experiment_truth *truth,
			 const struct experiment_prediction *prediction)
{
	printf("%-15s %3u cores  seed %-4u %-8s %7.1f us ", program->name, settings->cores,
	       (unsigned)settings->seed, engine_names[kind], truth->period_ns / 1e3);
	for (uint32_t i = 0; i < EXPERIMENT_CUTS; i++)
		printf("  %5.1f for%c%5.1f", 100 * prediction->gain[i],
		       truth->is_step[i] ? '*' : ' ', 100 * truth->gain[i]);
	printf("  +-%.1f  period %u us\n", 196 * prediction->error, prediction->sampling_ns / 1000);
}

static double seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

/* Both engines' predictions of one program. */
static void program_run(const struct table_settings *settings, uint32_t pattern, uint32_t cores,
			uint64_t seed, struct counts *counts)
{
	struct program program;
	struct experiment_truth truth;
	struct experiment_settings usual =
		experiment_usual(settings->core_counts[cores], ENGINE_KERNEL, seed);
	double start = seconds();

	usual.rounds = settings->rounds;
	usual.true_rounds = 2 * settings->rounds;
	usual.engine.variants = settings->variants;
	usual.engine.uncharged_ns = settings->uncharged_ns;
	usual.fixed_period_ns = settings->fixed_period_ns;
	if (settings->window_ns)
		usual.window_ns = usual.warm_up_ns = settings->window_ns;
	if (settings->is_virtual)
		experiment_on_virtual_machine(&usual);
	if (settings->program)
		program = *settings->program;
	else
		pattern_program(&patterns[pattern], seed, usual.machine.cores, &program);
	pattern_add_foreign(&program, settings->foreign_tasks);
	experiment_find_truth(&machine, &program, &usual, &truth);
	counts->programs++;
	counts->true_windows += truth.windows;
	counts->events += truth.events;
	counts->truth_s += seconds() - start;
	counts->invalid += !truth.is_valid;
	for (enum engine_kind kind = ENGINE_KERNEL; kind <= ENGINE_RUNTIME; kind++) {
		struct experiment_prediction prediction;
		if (!truth.is_valid || (settings->engine && settings->engine != kind))
			continue;
		start = seconds();
		usual.engine.kind = kind;
		experiment_predict(&machine, &program, &usual, &truth, &prediction);
		counts->predicting_s += seconds() - start;
		counts->seconds_by_cores[cores] += seconds() - start;
		counts->windows_by_cores[cores] += prediction.windows;
		counts->windows += prediction.windows;
		counts->events += prediction.events;
		if (!prediction.is_valid)
			continue;
		counts->noise += prediction.error;
		cell_add(&by_pattern[pattern][kind], &truth, &prediction, &usual.machine);
		cell_add(&by_cores[cores][kind], &truth, &prediction, &usual.machine);
		cell_add(&in_all[kind], &truth, &prediction, &usual.machine);
		if (settings->lists_programs)
			program_list(&program, &usual.machine, kind, &truth, &prediction);
	}
}

static void row_print(const char *name, const struct cell *cells)
{
	if (!cells[ENGINE_KERNEL].count && !cells[ENGINE_RUNTIME].count)
		return;
	printf("%-15s %5u", name,
	       cells[ENGINE_KERNEL].count > cells[ENGINE_RUNTIME].count ?
		       cells[ENGINE_KERNEL].count :
		       cells[ENGINE_RUNTIME].count);
	for (enum engine_kind kind = ENGINE_KERNEL; kind <= ENGINE_RUNTIME; kind++) {
		const struct cell *cell = &cells[kind];
		if (cell->points)
			printf("  | %5.1f %+6.1f %+6.1f (%2u cores, seed %-3u)",
			       cell->errors / cell->points, cell->biases / cell->points,
			       cell->worst, cell->worst_cores, (unsigned)cell->worst_seed);
	}
	printf("\n");
}

static void head_print(const struct table_settings *settings, const char *what)
{
	printf("\n%-15s %5s", what, "");
	for (enum engine_kind kind = ENGINE_KERNEL; kind <= ENGINE_RUNTIME; kind++)
		if (!settings->engine || settings->engine == kind)
			printf("  | %-39s", engine_names[kind]);
	printf("\n%-15s %5s", "", "runs");
	for (enum engine_kind kind = ENGINE_KERNEL; kind <= ENGINE_RUNTIME; kind++)
		if (!settings->engine || settings->engine == kind)
			printf("  | %5s %6s %6s %-19s", "mean", "bias", "worst", "");
	printf("\n");
}

static void counts_print(const struct table_settings *settings, const struct counts *counts)
{
	printf("\nErrors of predicted gains in percentage points: mean of the absolute ones, mean "
	       "with sign (bias), the worst.\n");
	printf("%u of %u points are left out, as the truth jumps there.\n",
	       in_all[ENGINE_KERNEL].steps + in_all[ENGINE_RUNTIME].steps,
	       in_all[ENGINE_KERNEL].steps + in_all[ENGINE_RUNTIME].steps +
		       in_all[ENGINE_KERNEL].points + in_all[ENGINE_RUNTIME].points);
	printf("Experiments a minute:");
	for (uint32_t i = 0; i < settings->core_count_count; i++)
		printf(" %.0f (%u cores)%s",
		       60 * (double)counts->windows_by_cores[i] / counts->seconds_by_cores[i],
		       settings->core_counts[i], i + 1 < settings->core_count_count ? "," : ".\n");
	printf("From the growth of G until a core pays for it at a tick, kernel engine, mean "
	       "(longest), us:");
	for (uint32_t i = 0; i < settings->core_count_count; i++)
		if (by_cores[i][ENGINE_KERNEL].lag_count)
			printf(" %.0f (%.0f) with %u cores%s",
			       by_cores[i][ENGINE_KERNEL].lags /
				       by_cores[i][ENGINE_KERNEL].lag_count,
			       by_cores[i][ENGINE_KERNEL].lag_most, settings->core_counts[i],
			       i + 1 < settings->core_count_count ? "," : "");
	printf(".\nSeeds %u to %u; %u programs (%u had too few visits); %.1f s.\n",
	       (unsigned)settings->first_seed,
	       (unsigned)(settings->first_seed + settings->programs - 1), counts->programs,
	       counts->invalid, counts->predicting_s + counts->truth_s);
	printf("%llu experiments in %.1f s; %llu windows without an engine; %.0f ns an event; mean "
	       "standard error %.2f.\n",
	       (unsigned long long)counts->windows, counts->predicting_s,
	       (unsigned long long)counts->true_windows,
	       1e9 * (counts->predicting_s + counts->truth_s) / (double)counts->events,
	       100 * counts->noise / (in_all[ENGINE_KERNEL].count + in_all[ENGINE_RUNTIME].count));
}

void table_print(const struct table_settings *settings)
{
	struct counts counts = {0};

	for (uint32_t pattern = 0; pattern < pattern_count; pattern++)
		for (uint32_t cores = 0; cores < settings->core_count_count; cores++)
			for (uint32_t i = 0; i < settings->programs; i++)
				if (settings->program ?
					    !pattern :
					    !settings->pattern || !strcmp(settings->pattern,
									  patterns[pattern].name))
					program_run(settings, pattern, cores,
						    settings->first_seed + i, &counts);
	head_print(settings, "pattern");
	for (uint32_t pattern = 0; pattern < pattern_count && !settings->program; pattern++)
		row_print(patterns[pattern].name, by_pattern[pattern]);
	head_print(settings, "cores");
	for (uint32_t cores = 0; cores < settings->core_count_count; cores++) {
		char name[16];
		snprintf(name, sizeof(name), "%u", settings->core_counts[cores]);
		row_print(name, by_cores[cores]);
	}
	row_print("all", in_all);
	counts_print(settings, &counts);
}
