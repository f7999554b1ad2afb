/* SPDX-License-Identifier: BSD-2-Clause */
/* no_answer - finds the first reason why there is no answer. */
#include "report/causal/no_answer.h"

#include "base/cleanup.h"
#include "report/causal/warnings.h"
#include "report/display.h"
#include "report/run_totals.h"

static char *names_of_points(const struct recording *recording)
{
	char *names = text_copy("");
	for (size_t i = 0; i < recording->points.count; i++) {
		AUTO(text) char *before = names;
		AUTO(text) char *name = display_clean(recording->points.items[i].name);
		names = text_format("%s%s%s", before, i ? ", " : "", name);
	}
	return names;
}

static uint64_t all_visits(const struct recording *recording)
{
	uint64_t visits = 0;
	for (size_t i = 0; i < recording->points.count; i++)
		visits += run_totals_visits(recording, recording->points.items[i].id);
	return visits;
}

static char *without_experiments(const struct recording *recording, const struct run_totals *totals)
{
	AUTO(text) char *wall = display_duration((double)totals->wall_ns);
	if (!totals->samples && totals->wall_ns)
		return text_format(
			"No answer: no sample of the program in %s. It hardly uses the CPU: give "
			"it "
			"more work, or run it longer.",
			wall);
	if (!recording->targets.count && totals->samples &&
	    recording_run_has_all_kinds(totals->last))
		return text_copy("No answer: no sample fell into code of a file. Of code that is "
				 "made at run time, lever help languages tells which has names.");
	if (!recording->targets.count && totals->samples)
		return text_copy(
			"No answer: no sample fell into code in scope. Build with -g, or widen the "
			"scope: --scope 'bin:*' takes all binaries, --granularity function works "
			"without debug information.");
	int status = run_exit_status(totals->last);
	if (totals->wall_ns && status > 0 && status < 128)
		return text_format(
			"No answer: the program ended with exit code %d after %s, before the first "
			"experiment was finished. %s",
			status, wall,
			status == 127 ?
				"Its messages tell which command or library was not found." :
				"If it failed, its messages tell why; if not, give it more "
				"work, or run it repeatedly with --end-to-end.");
	if (totals->wall_ns)
		return text_format(
			"No answer: the program ended after %s, before the first experiment was "
			"finished. Give it more work, or run it repeatedly with --end-to-end.",
			wall);
	return text_copy("No answer: the recording ended before the first experiment was finished. "
			 "Run it longer.");
}

#define VISITS_NEEDED 60 /* 20 windows with two visits, and one before and between them */
#define VISITS_FEW 200

/* How long the program must run, if visits are rare; else empty. */
static char *needed_text(const struct recording *recording, const struct run_totals *totals)
{
	uint64_t visits = all_visits(recording);

	if (!visits || visits > VISITS_FEW || !totals->wall_ns)
		return text_copy("");
	AUTO(text) char *wall = display_duration((double)totals->wall_ns);
	AUTO(text)
	char *needed = display_duration((double)totals->wall_ns / (double)visits * VISITS_NEEDED);
	return text_format(": %llu in %s; an answer takes about %d, which is %s",
			   (unsigned long long)visits, wall, VISITS_NEEDED, needed);
}

static char *without_counted(const struct recording *recording, const struct causal *causal,
			     const struct run_totals *totals)
{
	if (causal->too_few_visits >= causal->displaced &&
	    causal->too_few_visits >= causal->cut_short) {
		AUTO(text) char *points = names_of_points(recording);
		if (!all_visits(recording))
			return text_format(
				"No answer: no progress point (%s) was visited during "
				"experiments. Choose a "
				"point with --progress that the program reaches repeatedly.",
				points);
		AUTO(text) char *needed = needed_text(recording, totals);
		return text_format(
			"No answer: all %u experiments had too few visits of the progress points "
			"(%s)%s. Choose a point with more visits, run longer (--seconds), or use "
			"--end-to-end.",
			causal->too_few_visits, points, needed);
	}
	if (causal->displaced >= causal->cut_short)
		return text_format(
			"No answer: other programs took the CPU in all experiments (%u). Run again "
			"on an idle machine.",
			causal->displaced);
	return text_format(
		"No answer: all %u experiments were cut short by the end of the program or "
		"of the recording. Run it longer.",
		causal->cut_short);
}

/* Experiments counted, but none can be compared with a control. */
static char *without_pairs(const struct recording *recording, const struct causal *causal,
			   const struct run_totals *totals)
{
	unsigned targets = 0, sped_up = 0;
	for (size_t i = 0; i < causal->count; i++) {
		targets += causal->targets[i].experiments > 0;
		sped_up += causal->targets[i].experiments;
	}
	if (causal->displaced > causal->experiments)
		return text_format(
			"No answer: other programs took the CPU in %u of %u experiments, and the "
			"others are too few to compare. Run again on an idle machine, or longer "
			"(--seconds).",
			causal->displaced, causal->displaced + causal->experiments);
	if (!sped_up && causal->mischarged)
		return text_format(
			"No answer: in all %u experiments at a speedup above 0 the pauses "
			"contradict the samples in the target. Choose another one with --target.",
			causal->mischarged);
	if (!sped_up)
		return text_format(
			"No answer: all %u experiments were controls, at speedup 0. Run longer "
			"(--seconds); if --speedups was given, add speedups above 0.",
			causal->experiments);
	if (sped_up == causal->experiments)
		return text_format(
			"No answer: all %u experiments were at speedups above 0, without controls. "
			"Add 0 to --speedups.",
			causal->experiments);
	AUTO(text) char *needed = needed_text(recording, totals);
	return text_format(
		"No answer: %u experiments on %u target%s are too few%s: a target needs "
		"experiments at a speedup and controls near them. Run longer (--seconds), "
		"run again into the same file, or choose a target with --target.",
		causal->experiments, targets, targets == 1 ? "" : "s", needed);
}

static char *reason_of(const struct recording *recording, const struct causal *causal)
{
	struct run_totals totals = run_totals_of(recording);
	if (!totals.runs)
		return text_copy(
			"No answer: the profile has no run. Record one: lever run -- PROGRAM");
	AUTO(text) char *load_end = causal_load_end(recording);
	if (load_end)
		return text_format("No answer: %s.", load_end);
	if (causal->experiments)
		return without_pairs(recording, causal, &totals);
	if (causal->displaced + causal->too_few_visits + causal->cut_short)
		return without_counted(recording, causal, &totals);
	return without_experiments(recording, &totals);
}

/* What the program did meanwhile may be the reason behind it. */
char *no_answer_reason(const struct recording *recording, const struct causal *causal)
{
	char *reason = reason_of(recording, causal);
	AUTO(text) char *unsteadiness = causal_unsteadiness(causal);

	if (!unsteadiness)
		return reason;
	AUTO(text) char *shorter = reason;
	return text_format("%s Also, %s.", shorter, unsteadiness);
}
