/* SPDX-License-Identifier: BSD-2-Clause */
/* warnings - collects the notes of runs, and what their sums give cause for. */
#include "report/warnings.h"

#include "base/own.h"
#include "report/sums.h"

#include <string.h>

static void warn_of_end(struct warnings *warnings, const struct sums *sums)
{
	if (sums->unfinished)
		*array_add(warnings) = text_format(
			"%s was cut short, or goes on; this is what it had written so far",
			sums->runs == 1 ? "the recording" : "a run");
}

static void warn_of_experiments(struct warnings *warnings, const struct sums *sums)
{
	/* A hundredth: less moves no answer visibly. */
	if (sums->lost * 100 > sums->samples)
		*array_add(warnings) = text_format(
			"%.1f %% of the samples were lost: shares and speedups are too small by as much",
			100.0 * (double)sums->lost / (double)(sums->samples + sums->lost));
	if (sums->unwound_badly * 20 > sums->samples)
		*array_add(warnings) = text_format(
			"%.0f %% of the samples have no caller in scope, and count for no target: they "
			"ran in code outside the scope (--scope 'bin:*' takes in all binaries), or "
			"their call chain could not be followed",
			100.0 * (double)sums->unwound_badly / (double)sums->samples);
}

static void warn_of_chains(struct warnings *warnings, const struct sums *sums)
{
	/* A hundredth: less moves no share visibly. */
	if (sums->lost * 100 > sums->samples)
		*array_add(warnings) = text_format("%.1f %% of the samples were lost",
						   100.0 * (double)sums->lost /
							   (double)(sums->samples + sums->lost));
	if (sums->unwound_badly * 20 > sums->samples)
		*array_add(warnings) =
			text_format("%.0f %% of the call chains end before their root: code "
				    "without unwind tables, or deeper than can be followed",
				    100.0 * (double)sums->unwound_badly / (double)sums->samples);
}

static void add_once(struct warnings *warnings, const char *line)
{
	for (size_t i = 0; i < warnings->count; i++) {
		if (!strcmp(warnings->items[i], line))
			return;
	}
	*array_add(warnings) = text_copy(line);
}

static void add_notes(struct warnings *warnings, const struct recording *recording)
{
	for (size_t i = 0; i < recording->runs.count; i++) {
		AUTO(text) char *note = text_copy(recording->runs.items[i].note);
		char *rest = note;
		for (char *line; (line = strsep(&rest, "\n"));) {
			if (*line)
				add_once(warnings, line);
		}
	}
}

/* Of the target's points, the one that takes longest to settle. */
static struct settling settling_of(const struct causal_target *target)
{
	struct settling worst = {0};

	for (size_t i = 0; i < target->count; i++) {
		const struct settling *one = &target->effects[i].settling;
		if (one->level > worst.level || one->is_drifting)
			worst = *one;
	}
	return worst;
}

static bool is_doubted(const struct causal_target *target)
{
	for (size_t i = 0; i < target->count; i++)
		if (target->effects[i].is_doubted)
			return true;
	return false;
}

static void warn_of_doubts(struct warnings *warnings, const struct causal *causal)
{
	size_t doubted = 0;

	for (size_t i = 0; i < causal->count; i++)
		doubted += is_doubted(&causal->targets[i]);
	if (doubted)
		*array_add(warnings) = text_format(
			"whether the other targets take as long to settle is not known well enough yet: the "
			"intervals of %zu of them have room for it",
			doubted);
}

static void warn_of_settling(struct warnings *warnings, const struct causal *causal)
{
	for (size_t i = 0; i < causal->count; i++) {
		const struct causal_target *target = &causal->targets[i];
		struct settling settling = settling_of(target);
		if (settling.is_drifting)
			*array_add(warnings) = text_format(
				"with %s faster, the program went on changing its speed for as long as it "
				"was watched (queues that fill or empty do that): the gain may be "
				"told too large; longer windows (--window) tell more",
				target->target->name);
		else if (settling.level)
			*array_add(warnings) = text_format(
				"with %s faster, the program took a while to settle (queues that fill or "
				"empty do that): the first %u windows after each change are left out, and "
				"those that follow count as one experiment",
				target->target->name, settle_skipped(settling.level));
	}
	warn_of_doubts(warnings, causal);
}

static bool is_new_point(const struct causal *causal, size_t until,
			 const struct causal_effect *effect)
{
	for (size_t i = 0; i < until; i++)
		for (size_t j = 0; j < causal->targets[i].count; j++)
			if (causal->targets[i].effects[j].point == effect->point)
				return false;
	return true;
}

static void warn_of_outside(struct warnings *warnings, const struct causal *causal)
{
	for (size_t i = 0; i < causal->count; i++) {
		for (size_t j = 0; j < causal->targets[i].count; j++) {
			const struct causal_effect *effect = &causal->targets[i].effects[j];
			if (!(effect->outside.share > 0) || !is_new_point(causal, i, effect))
				continue;
			*array_add(warnings) = text_format(
				"the pace of %s is set from outside of the program as well (a clock, devices, "
				"other programs): with all that 25 %% faster it would be %.1f %% faster. "
				"What targets seemed to gain by that alone is taken off",
				effect->point->name, 100 * effect->outside.gain);
		}
	}
}

struct warnings warnings_of(const struct recording *recording, const struct causal *causal)
{
	struct warnings warnings = {0};
	struct sums sums = sums_of(recording);
	warn_of_end(&warnings, &sums);
	warn_of_experiments(&warnings, &sums);
	warn_of_settling(&warnings, causal);
	warn_of_outside(&warnings, causal);
	add_notes(&warnings, recording);
	return warnings;
}

struct warnings warnings_of_samples(const struct recording *recording)
{
	struct warnings warnings = {0};
	struct sums sums = sums_of(recording);
	warn_of_end(&warnings, &sums);
	warn_of_chains(&warnings, &sums);
	add_notes(&warnings, recording);
	return warnings;
}

struct warnings warnings_of_scale(const struct scale *scale)
{
	struct warnings warnings = {0};
	struct sums sums = sums_of(scale->recording);
	warn_of_end(&warnings, &sums);
	for (size_t i = 0; i < scale->warnings.count; i++)
		*array_add(&warnings) = text_copy(scale->warnings.items[i]);
	add_notes(&warnings, scale->recording);
	return warnings;
}

void warnings_release(struct warnings *warnings)
{
	for (size_t i = 0; i < warnings->count; i++)
		free(warnings->items[i]);
	array_free(warnings);
}
