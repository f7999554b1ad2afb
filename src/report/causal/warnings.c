/* SPDX-License-Identifier: BSD-2-Clause */
/* warnings - what weakens the answers of a causal profile. */
#include "report/causal/warnings.h"

#include "analyze/causal/hand_over_error.h"
#include "analyze/causal/load_end.h"
#include "base/cleanup.h"
#include "report/causal/skid.h"
#include "report/display.h"
#include "report/run_totals.h"

#include <math.h>

#define SCATTER_MUCH 0.06 /* of log(period): ten windows of each speedup then allow ±5 points */
#define MACHINE_LEFT 0.7  /* of the scatter: less is left without what CPU time tells */
#define UNITS_FACTOR 1.5  /* times the scatter that a window's halves tell */

/*
 * Whether samples need code in scope: system calls, waits and the like have their time without, and
 * so have functions with all that they call, whose callers are found in every binary.
 */
static bool needs_scope(const struct causal *causal, const struct recording_run *run)
{
	bool has_any = false, has_code = false;

	if (run && recording_run_has_all_kinds(run))
		return false;
	for (size_t i = 0; i < causal->count; i++) {
		enum target_kind kind = causal->targets[i].target->kind;
		bool is_tried = causal->targets[i].experiments;
		if (kind == TARGET_INCLUSIVE)
			return false;
		has_code |= is_tried && (kind == TARGET_LINE || kind == TARGET_FUNCTION);
		has_any |= is_tried;
	}
	return has_code || !has_any;
}

static void warn_of_experiments(struct warnings *warnings, const struct causal *causal,
				const struct run_totals *totals)
{
	/* Below 1 % no prediction changes visibly. */
	if (totals->lost * 100 > totals->samples)
		*array_add(warnings) = text_format(
			"shares and speedups are too small by %.1f %%: that many samples were lost "
			"because a buffer was full",
			100.0 * (double)totals->lost / (double)(totals->samples + totals->lost));
	if (totals->unwound_badly * 20 > totals->samples && needs_scope(causal, totals->last))
		*array_add(warnings) = text_format(
			"%.0f %% of the samples count for no target: they have no caller in scope, "
			"or their call chain is incomplete; --scope 'bin:*' takes all binaries",
			100.0 * (double)totals->unwound_badly / (double)totals->samples);
}

/* Of the target's points, the one that needs longest to warm up. */
static struct warm_up warm_up_of(const struct causal_target *target)
{
	struct warm_up worst = {0};

	for (size_t i = 0; i < target->count; i++) {
		const struct warm_up *one = &target->effects[i].warm_up;
		if (one->level > worst.level || one->is_drifting)
			worst = *one;
	}
	return worst;
}

static bool is_widened(const struct causal_target *target)
{
	for (size_t i = 0; i < target->count; i++)
		if (target->effects[i].is_widened)
			return true;
	return false;
}

static void warn_of_widened(struct warnings *warnings, const struct causal *causal)
{
	size_t widened = 0;

	for (size_t i = 0; i < causal->count; i++)
		widened += is_widened(&causal->targets[i]);
	if (widened)
		*array_add(warnings) = text_format(
			"the intervals of %zu target%s are wider than usual: %s may need time to "
			"warm up, and %s measured too briefly to exclude it; run longer with "
			"--seconds",
			widened, widened == 1 ? "" : "s", widened == 1 ? "it" : "they",
			widened == 1 ? "was" : "were");
}

#define BRIEF_SPINS_TOLD 0.03 /* of the CPU time */

static void warn_of_short_units(struct warnings *warnings, const struct recording *recording,
				const struct causal *causal)
{
	double spinning = brief_spin_share_of(recording);
	bool is_met = false, becomes_dense = false;

	for (size_t i = 0; i < causal->count; i++) {
		for (size_t j = 0; j < causal->targets[i].count; j++) {
			const struct causal_effect *effect = &causal->targets[i].effects[j];
			is_met |= effect->hand_over_error >= HAND_OVER_ERROR_OF_SHORT_UNITS;
			becomes_dense |= hand_over_rare_error(&effect->hand_over_rare, 1) > 0;
		}
	}
	if (is_met && spinning >= BRIEF_SPINS_TOLD)
		*array_add(warnings) = text_format(
			"threads spin for %.0f %% of the CPU time, for less than a sampling period "
			"at a time: samples do not show which code they wait for, and code beside "
			"that seems to gain, too; intervals are wider for it, and a longer run "
			"does not narrow them: try the change",
			100 * spinning);
	else if (is_met)
		*array_add(warnings) = text_copy(
			"a unit of work is shorter than two sampling periods, and tasks wait for "
			"each other at some of them: a speedup may make them meet more often than "
			"pauses can show, and may gain less, or lose; the intervals hold half of "
			"the gain for it");
	else if (becomes_dense)
		*array_add(warnings) = text_copy(
			"a unit of work is shorter than two sampling periods, and tasks meet now "
			"and then: large speedups may make them wait for each other at each turn, "
			"which pauses cannot show, and may gain less; intervals are wider there");
}

#define UNUSED_SHARE_TOLD 0.05

static void warn_of_placement(struct warnings *warnings, const struct causal *causal)
{
	double most = 0;

	for (size_t i = 0; i < causal->count; i++)
		for (size_t j = 0; j < causal->targets[i].count; j++)
			most = fmax(most, causal->targets[i].effects[j].unused_share);
	if (most >= UNUSED_SHARE_TOLD)
		*array_add(warnings) = text_format(
			"cores were idle for %.0f %% of the program's time while tasks of it "
			"waited for one: the scheduler may place a faster program otherwise, so "
			"it may gain more than pauses show; intervals reach up for that; to "
			"compare a change, pin threads to cores",
			100 * most);
}

static void warn_of_cycles(struct warnings *warnings, const struct causal *causal)
{
	double longest_ns = 0;
	size_t count = 0;

	for (size_t i = 0; i < causal->count; i++) {
		double own_ns = 0;
		for (size_t j = 0; j < causal->targets[i].count; j++)
			own_ns = fmax(own_ns, causal->targets[i].effects[j].cycle_ns);
		count += own_ns > 0;
		longest_ns = fmax(longest_ns, own_ns);
	}
	if (!count)
		return;
	AUTO(text) char *length = display_duration(longest_ns);
	*array_add(warnings) = text_format(
		"progress rises and falls in cycles of about %s, by the program or by a core that "
		"changes its speed, and experiments on %zu target%s hold "
		"parts of them: nothing is sure of %s, and intervals reach from no gain to all "
		"that the time spent there allows; run longer with --seconds",
		length, count, count == 1 ? "" : "s", count == 1 ? "it" : "them");
}

static void warn_of_warm_up(struct warnings *warnings, const struct recording *recording,
			    const struct causal *causal)
{
	for (size_t i = 0; i < causal->count; i++) {
		const struct causal_target *target = &causal->targets[i];
		struct warm_up warm_up = warm_up_of(target);
		if (warm_up.is_drifting)
			*array_add(warnings) = text_format(
				"the gain of %s may be too large: the program was still changing "
				"its speed "
				"at the end of its window series, as filling or emptying queues "
				"do; use "
				"longer windows with --window",
				target->target->name);
		else if (warm_up.level)
			*array_add(warnings) = text_format(
				"with %s faster, the first %u windows after each change are left "
				"out: the "
				"program needed time to warm up, as queues fill or empty; the "
				"windows that "
				"follow count as one experiment",
				target->target->name, warm_up_skipped(warm_up.level));
	}
	warn_of_widened(warnings, causal);
	warn_of_short_units(warnings, recording, causal);
	warn_of_placement(warnings, causal);
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

static void warn_of_external_pacing(struct warnings *warnings, const struct causal *causal)
{
	for (size_t i = 0; i < causal->count; i++) {
		for (size_t j = 0; j < causal->targets[i].count; j++) {
			const struct causal_effect *effect = &causal->targets[i].effects[j];
			if (!(effect->external_pacing.share > 0) ||
			    !is_new_point(causal, i, effect))
				continue;
			*array_add(warnings) =
				effect->point->kind == POINT_SAMPLED ?
					text_format(
						"gains at %s are reduced: its rate falls by less "
						"than the pauses, as clocks, devices or other "
						"programs set it, or as threads that contend take "
						"more CPU time for the same work; name a point "
						"with --progress to tell which",
						effect->point->name) :
					text_format(
						"gains at %s are reduced: its rate is partly set "
						"by clocks, devices or other programs, whose "
						"apparent gain is taken off; with all of these "
						"25 %% faster it would be %.1f %% faster",
						effect->point->name,
						100 * effect->external_pacing.gain);
		}
	}
}

static void warn_of_slowing_pauses(struct warnings *warnings, const struct causal *causal)
{
	for (size_t i = 0; i < causal->count; i++) {
		for (size_t j = 0; j < causal->targets[i].count; j++) {
			const struct causal_effect *effect = &causal->targets[i].effects[j];
			if (!(effect->external_pacing.suspected < 0) ||
			    effect->paced_load.high > 0 || !is_new_point(causal, i, effect))
				continue;
			*array_add(warnings) = text_format(
				"gains at %s may be told too low, and their intervals reach up: "
				"pauses themselves slow the program down, mostly where threads "
				"outnumber cores",
				effect->point->name);
		}
	}
}

static void warn_of_paced_load(struct warnings *warnings, const struct causal *causal)
{
	for (size_t i = 0; i < causal->count; i++) {
		for (size_t j = 0; j < causal->targets[i].count; j++) {
			const struct causal_effect *effect = &causal->targets[i].effects[j];
			const struct paced_load *load = &effect->paced_load;
			if (!(load->high > 0) || !is_new_point(causal, i, effect))
				continue;
			*array_add(warnings) =
				load->share > 0 ?
					text_format("gains at %s are raised: work that timers "
						    "start takes %.0f %% of the time that sets "
						    "its rate, and comes too often while the "
						    "program pauses",
						    effect->point->name, 100 * load->share) :
					text_format("gains at %s may be told too low, and their "
						    "intervals reach up: work that timers start "
						    "may come too often while the program pauses; "
						    "run longer with --seconds",
						    effect->point->name);
		}
	}
}

static char *do_not_count(unsigned windows, const struct causal_target *target, const char *why)
{
	return text_format("%u window%s of %s %s not count: %s", windows, windows == 1 ? "" : "s",
			   target->target->name, windows == 1 ? "does" : "do", why);
}

/* Targets of which a part of the windows does not count, as pauses and samples disagree. */
static void warn_of_charges(struct warnings *warnings, const struct causal *causal)
{
	for (size_t i = 0; i < causal->count; i++) {
		const struct causal_target *target = &causal->targets[i];
		if (target->overcharged)
			*array_add(warnings) = do_not_count(
				target->overcharged, target,
				"the program paused, although hardly any sample is in this code, "
				"as in a wait that lasts for whole windows; use longer windows "
				"with --window");
		if (target->uncharged)
			*array_add(warnings) = do_not_count(
				target->uncharged, target,
				"nothing paused, although samples are in this code; run again");
		if (target->paused_whole)
			*array_add(warnings) = do_not_count(
				target->paused_whole, target,
				"this code runs nearly all the time, and at such a speedup all "
				"else would pause for good; ask for lower ones with --speedups");
	}
}

static void warn_of_excess(struct warnings *warnings, const struct causal *causal)
{
	for (size_t i = 0; i < causal->count; i++) {
		const struct causal_target *target = &causal->targets[i];
		bool exceeds = false;

		for (size_t j = 0; j < target->count; j++)
			exceeds = exceeds || target->effects[j].exceeds_charge;
		if (exceeds)
			*array_add(warnings) = text_format(
				"the gain of %s exceeds the time spent there: threads also wait "
				"less for each other when it is faster; by how much depends on "
				"their order, so its interval is wider",
				target->target->name);
	}
}

static void warn_of_skid(struct warnings *warnings, const struct causal *causal)
{
	for (size_t i = 0; i < causal->count; i++) {
		const struct causal_target *target = &causal->targets[i];
		const struct causal_target *other = skid_of(causal, target);
		if (other)
			*array_add(warnings) = text_format(
				"%s is in hardly any sample, and %s beside it in %.0f %%: a sample "
				"stands at the instruction behind the one that took the time, such "
				"as a load from memory; ask for both (--target %s --with %s), or "
				"for the function",
				target->target->name, other->target->name, 100 * other->share,
				target->target->name, other->target->name);
	}
}

char *causal_unsteadiness(const struct causal *causal)
{
	struct steadiness steadiness = causal->steadiness;

	if (steadiness.change == STEADY)
		return NULL;
	AUTO(text) char *name = display_clean(steadiness.point->name);
	AUTO(text) char *before = display_duration(steadiness.before_ns);
	AUTO(text) char *after = display_duration(steadiness.after_ns);
	AUTO(text) char *at = display_duration(steadiness.at_ns);
	if (steadiness.change == CHANGES_CLOCK)
		return text_format("the cores changed their speed: the same work took %.2f times "
				   "as much CPU time (a visit of %s %s, then %s) from %s on; small "
				   "gains cannot be told; fix the clock (cpupower frequency-set "
				   "--governor performance), or run longer",
				   steadiness.work_ratio, name, before, after, at);
	return text_format("the program changed its phase: a visit of %s took %s, and %s from %s "
			   "on; gains are means over the phases, and none is told of one alone; "
			   "profile one with --after and --seconds",
			   name, before, after, at);
}

static void warn_of_unsteadiness(struct warnings *warnings, const struct causal *causal)
{
	char *text = causal_unsteadiness(causal);

	if (text)
		*array_add(warnings) = text;
}

/* The effect whose controls scatter most. */
static const struct causal_effect *most_scattered(const struct causal *causal)
{
	const struct causal_effect *most = NULL;

	for (size_t i = 0; i < causal->count; i++) {
		for (size_t j = 0; j < causal->targets[i].count; j++) {
			const struct causal_effect *effect = &causal->targets[i].effects[j];
			if (!most || effect->covariates.scatter > most->covariates.scatter)
				most = effect;
		}
	}
	return most;
}

/* Where nothing is said, the units of work themselves scatter, or nothing does. */
static void warn_of_scatter(struct warnings *warnings, const struct causal *causal)
{
	const struct causal_effect *effect = most_scattered(causal);

	if (!effect || effect->covariates.scatter < SCATTER_MUCH)
		return;
	double scatter = 100 * effect->covariates.scatter, left = 100 * effect->covariates.left;
	if (left < MACHINE_LEFT * scatter)
		*array_add(warnings) = text_format(
			"windows without a speedup differ by %.0f %%, as this machine takes more "
			"or less CPU time for the same work; %.0f %% are left without that, and "
			"make intervals wide; run on a quieter machine, or for longer (--seconds)",
			scatter, left);
	else if (left > UNITS_FACTOR * 50 * effect->transients.noise)
		*array_add(warnings) = text_format(
			"windows without a speedup differ by %.0f %%, %.0f %% without what CPU "
			"time and other programs explain: a disk, a client or the scheduler sets "
			"the pace, and makes intervals wide; run for longer (--seconds)",
			scatter, left);
}

char *causal_load_end(const struct recording *recording)
{
	struct load_end end = load_end_of(recording);

	if (!end.quiet_ns)
		return NULL;
	AUTO(text) char *after = display_duration((double)end.after_ns);
	AUTO(text) char *whole = display_duration((double)(end.after_ns + end.quiet_ns));
	return text_format("the load ended after about %s of %s, and no request came later; let it "
			   "run until lever ends",
			   after, whole);
}

struct warnings causal_warnings(const struct recording *recording, const struct causal *causal)
{
	struct warnings warnings = {0};
	struct run_totals totals = run_totals_of(recording);
	char *load_end = causal->experiments ? causal_load_end(recording) : NULL;

	warnings_add_end(&warnings, &totals);
	if (load_end)
		*array_add(&warnings) = load_end;
	warn_of_skid(&warnings, causal);
	warn_of_experiments(&warnings, causal, &totals);
	warn_of_unsteadiness(&warnings, causal);
	warn_of_cycles(&warnings, causal);
	warn_of_warm_up(&warnings, recording, causal);
	warn_of_charges(&warnings, causal);
	warn_of_excess(&warnings, causal);
	warn_of_external_pacing(&warnings, causal);
	warn_of_paced_load(&warnings, causal);
	warn_of_slowing_pauses(&warnings, causal);
	warnings_add_notes(&warnings, recording);
	warn_of_scatter(&warnings, causal);
	return warnings;
}
