/* SPDX-License-Identifier: BSD-2-Clause */
/* scale_doubts - whether the predictions' preconditions hold, as far as the runs show it. */
#include "analyze/scale_parts.h"

#include <math.h>

#define TAKEN_MOST 0.02   /* share of the core time that others took */
#define YIELDS_MANY 200.0 /* a second of CPU time */
#define GROWTH_LARGE 0.10

static void warn_of_threads(struct scale *scale)
{
	unsigned here = scale->runs.items[scale->runs.count - 1].parallel->most_threads;

	for (size_t i = 0; i < scale->others.count; i++) {
		const struct recording_parallel *other = scale->others.items[i].parallel;
		if (other->most_threads == here)
			continue;
		*array_add(&scale->warnings) = text_format(
			"the program has up to %u threads at once on %u core%s, and %u on %u: if it "
			"makes as many as there are cores, predictions do not hold; tell it a number",
			here, scale->cores, scale->cores == 1 ? "" : "s", other->most_threads,
			other->cores);
		return;
	}
}

static void warn_of_spinning(struct scale *scale)
{
	double yields = 0, cpu = 0;

	for (size_t i = 0; i < scale->runs.count; i++) {
		yields += (double)scale->runs.items[i].parallel->yields;
		cpu += scale->runs.items[i].cpu_ns;
	}
	if (cpu > 0 && yields / cpu * 1e9 > YIELDS_MANY)
		*array_add(&scale->warnings) = text_format(
			"threads give up their core by sched_yield %.0f times a second: they spin "
			"while they wait, which counts as work here, and predictions are too long "
			"or too short by it",
			yields / cpu * 1e9);
	if (scale->has_growth && scale->growth > GROWTH_LARGE)
		*array_add(&scale->warnings) = text_format(
			"CPU time grows by %.0f %% for each further thread that runs at once: "
			"spinning, shared caches or memory, or cores that are hardware threads of "
			"one; the formula alone is too optimistic",
			100 * scale->growth);
}

static void warn_of_others(struct scale *scale)
{
	double stolen = 0, core = 0;

	for (size_t i = 0; i < scale->runs.count; i++) {
		stolen += (double)scale->runs.items[i].parallel->stolen_ns;
		core += scale->runs.items[i].wall_ns * scale->cores;
	}
	double taken = scale->wall_ns > 0 ? scale->displaced_ns / scale->wall_ns / scale->cores : 0;
	if (taken > TAKEN_MOST)
		*array_add(&scale->warnings) = text_format(
			"other programs took %.1f %% of the cores' time from the program; all but "
			"the model `paper` leave it out",
			100 * taken);
	if (core > 0 && stolen / core > TAKEN_MOST)
		*array_add(&scale->warnings) = text_format(
			"the hypervisor took %.1f %% of the cores' time; it counts as the "
			"program's, and predictions are too long by about as much",
			100 * stolen / core);
}

static void warn_of_losses(struct scale *scale)
{
	uint64_t escapes = 0, overwritten = 0, switches = 0;

	for (size_t i = 0; i < scale->runs.count; i++) {
		escapes += scale->runs.items[i].parallel->escapes;
		switches += scale->runs.items[i].parallel->switches;
		overwritten += scale->runs.items[i].parallel->overwritten;
	}
	if (escapes * 100 > switches)
		*array_add(&scale->warnings) = text_format(
			"the program chose cores by itself, and ran on others than the %u meant "
			"for it (%.0f %% of the times it got a core)",
			scale->cores, 100.0 * (double)escapes / (double)switches);
	if (overwritten)
		*array_add(&scale->warnings) = text_format(
			"%llu threads were lost sight of: more live at once than can be told apart",
			(unsigned long long)overwritten);
}

void scale_add_warnings(struct scale *scale)
{
	warn_of_threads(scale);
	warn_of_spinning(scale);
	warn_of_others(scale);
	warn_of_losses(scale);
}
