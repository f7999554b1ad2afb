/* SPDX-License-Identifier: BSD-2-Clause */
/* advice - sorts verdicts into lists, and words what they mean. */
#include "report/causal/advice.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "report/causal/sets.h"
#include "report/run_totals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOT_LEAST 0.04     /* share of a place that looks worth work */
#define HOPELESS_PART 0.34 /* of its share: a ceiling below is no reason to work on it */
#define HOPELESS_MOST 0.02 /* or a ceiling below this */
#define UNSURE_LEAST 0.02  /* ceiling of a place that is worth to be named as unsure */
#define LOSS_MOST 1.0      /* a greater loss is no contention: all wait for what waits */
#define ALONE_MOST 1.05    /* busy cores of a program in which nothing runs beside a place */
#define MOSTLY_ALONE 1.15  /* the same, for the most time */
#define WAITED_FOR 1.3     /* slope over share from which others wait for it */
#define HIDDEN 0.7         /* slope over share up to which others hide it */
#define BUSY_LEAST 0.85    /* of all cores: the machine is full */
#define IDLE_MOST 0.5      /* of one core: it mostly waits */
#define WHOLE_LEAST 0.95   /* of all threads' time: a gain there tells no place */
#define CALL_PREFIX "syscall:"
#define TAKEN_LEAST 0.1 /* of its core time, by others: it is not known how busy it would be */

/* The list is kept in descending order of `merit`. */
static void insert(struct advice_list *list, const struct target_verdict *verdict,
		   double (*merit)(const struct target_verdict *verdict))
{
	unsigned at = list->count;

	while (at > 0 && merit(verdict) > merit(list->items[at - 1]))
		at--;
	list->more += list->count == ADVICE_MOST;
	list->count += list->count < ADVICE_MOST;
	if (at >= ADVICE_MOST)
		return;
	for (unsigned i = list->count - 1; i > at; i--)
		list->items[i] = list->items[i - 1];
	list->items[at] = verdict;
}

/* Gains at other speedups are compared as if they grew evenly. */
static double by_low(const struct target_verdict *verdict)
{
	return verdict->at.low * VERDICT_SPEEDUP / verdict->at.speedup;
}

static double by_loss(const struct target_verdict *verdict)
{
	return -verdict->at.high;
}

static double by_share(const struct target_verdict *verdict)
{
	return verdict->target->share;
}

static double by_ceiling(const struct target_verdict *verdict)
{
	return verdict->effect->ceiling;
}

static void sort(struct advice *advice, const struct target_verdict *verdict)
{
	double share = verdict->target->share, ceiling = verdict->effect->ceiling;
	bool is_hopeless = ceiling < HOPELESS_MOST || ceiling < HOPELESS_PART * share;

	if (verdict->effect->point->kind == POINT_LATENCY) {
		if (verdict->outcome == OUTCOME_GAIN && verdict->at.low > 0)
			insert(&advice->latency, verdict, by_low);
	} else if (verdict->outcome == OUTCOME_CONTENTION) {
		if (verdict->at.gain > -LOSS_MOST && verdict->at.high < 0)
			insert(&advice->contention, verdict, by_loss);
	} else if (is_hopeless && share >= HOT_LEAST)
		insert(&advice->hopeless, verdict, by_share);
	else if (verdict->outcome == OUTCOME_GAIN && verdict->at.low > 0) {
		insert(&advice->gains, verdict, by_low);
		if (advice->all_gains_count < ADVICE_GAINS_MOST)
			advice->all_gains[advice->all_gains_count++] = verdict;
	} else if (ceiling >= UNSURE_LEAST)
		insert(&advice->unsure, verdict, by_ceiling);
}

/* Returns whether a set stands in a list. One that Lever found is no answer until it is sure. */
static bool sort_set(struct advice *advice, const struct report *report,
		     const struct target_verdict *verdict)
{
	struct interaction found = sets_interaction(report, verdict);

	if (sets_is_more(&found))
		insert(&advice->together, verdict, by_low);
	else if (!sets_is_found(report->recording, verdict->target->target))
		return false;
	else if (found.kind == INTERACTION_UNKNOWN && verdict->effect->ceiling >= UNSURE_LEAST)
		insert(&advice->unsure, verdict, by_ceiling);
	return true;
}

/* "…, 16 cores". */
static unsigned cores_of(const char *machine)
{
	const char *comma = machine ? strrchr(machine, ',') : NULL;

	return machine ? (unsigned)strtoul(comma ? comma + 1 : machine, NULL, 10) : 0;
}

/*
 * The kernel engine samples all the time; pausing takes cores, too, but is no work. As if the
 * target had really been faster: both its time and that of the run are shorter by the delays.
 */
static double busy_cores_of(const struct recording_run *run)
{
	if (!run->wall_ns || !run->engine || strcmp(run->engine, "kernel"))
		return NAN;
	double paused = (double)run->paused_ns;
	double busy = (double)run->samples * (double)run->period_ns - (double)run->delay_ns;
	double wall = (double)run->wall_ns - (double)run->delay_ns;
	return wall > 0 && paused >= 0 ? busy / wall : NAN;
}

/* Of the core time that the program had or waited for while others had the cores, their part. */
static double taken_share(const struct recording *recording, const struct recording_run *run,
			  double busy_cores)
{
	double displaced_ns = 0, effective_ns = 0;

	for (size_t i = 0; i < recording->experiments.count; i++) {
		const struct recording_experiment *one = &recording->experiments.items[i];
		if (one->run_id != run->id)
			continue;
		displaced_ns += (double)one->displaced_ns;
		effective_ns += (double)one->duration_ns - (double)one->delay_ns;
	}
	return displaced_ns > 0 ? displaced_ns / (displaced_ns + busy_cores * effective_ns) : 0;
}

/* Of waits as a whole, which are targets of their own. */
static double waiting_share(const struct causal *causal)
{
	static const char *const names[] = {"class:L", "class:S"};
	double share = 0;

	for (size_t i = 0; causal && i < causal->count; i++)
		for (size_t j = 0; j < sizeof(names) / sizeof(*names); j++)
			if (causal->targets[i].target->kind == TARGET_CLASS &&
			    !strcmp(causal->targets[i].target->name, names[j]))
				share += causal->targets[i].share;
	return fmin(1, share);
}

/* A main thread that naps while others work makes no place less important. */
static double sleep_share(const struct causal *causal)
{
	static const char *const calls[] = {
		"clock_nanosleep", "nanosleep",   "pause", "rt_sigtimedwait",
		"epoll_wait",      "epoll_pwait", "poll",  "ppoll",
		"select",          "pselect6",    "wait4", "waitid",
	};
	double share = 0;

	for (size_t i = 0; causal && i < causal->count; i++) {
		const struct recording_target *target = causal->targets[i].target;
		for (size_t j = 0; j < sizeof(calls) / sizeof(*calls); j++)
			if (target->kind == TARGET_SYSTEM_CALL &&
			    text_starts_with(target->name, CALL_PREFIX) &&
			    !strcmp(target->name + strlen(CALL_PREFIX), calls[j]))
				share += causal->targets[i].share;
	}
	return fmin(1, share);
}

/* Its unit of work is a request, of clients that may be on this machine. */
static bool serves(const struct recording *recording)
{
	for (size_t i = 0; i < recording->points.count; i++)
		if (recording_point_is_requests(&recording->points.items[i]))
			return true;
	return false;
}

struct advice advice_of(const struct report *report, const struct target_verdicts *verdicts)
{
	struct run_totals totals = run_totals_of(report->recording);
	struct advice advice = {.causal = report->causal,
				.busy_cores = NAN,
				.serves = serves(report->recording),
				.waiting_share = waiting_share(report->causal),
				.sleep_share = sleep_share(report->causal)};

	if (totals.last) {
		double busy = busy_cores_of(totals.last);
		advice.taken_share = taken_share(report->recording, totals.last, busy);
		advice.busy_cores = advice.taken_share > TAKEN_LEAST ? NAN : busy;
		advice.cores = cores_of(totals.last->machine);
	}
	for (size_t i = 0; i < verdicts->count; i++) {
		const struct causal_effect *effect = verdicts->items[i].effect;
		bool is_set = verdicts->items[i].target->target->kind == TARGET_SET;
		if (!is_set || !sort_set(&advice, report, &verdicts->items[i]))
			sort(&advice, &verdicts->items[i]);
		if (effect->external_pacing.share > advice.paced_share) {
			advice.paced_share = effect->external_pacing.share;
			advice.paced_is_cpu_time = effect->point->kind == POINT_SAMPLED;
		}
	}
	return advice;
}

/* The part of the program's time that goes away with the target's. */
static double pace_of(const struct target_verdict *verdict)
{
	return fmin(1, verdict->effect->slope.slope);
}

char *advice_why(const struct advice *advice, const struct target_verdict *verdict)
{
	double share = verdict->target->share, pace = pace_of(verdict);
	const struct effect_slope *slope = &verdict->effect->slope;
	bool is_as_share = !(share > 0) || (share > slope->low && share < slope->high);
	double ratio = is_as_share ? 1 : pace / share;

	enum target_kind kind = verdict->target->target->kind;
	bool is_around = kind == TARGET_INCLUSIVE || kind == TARGET_PROCESS;

	if (is_around && share >= WHOLE_LEAST && advice->all_gains_count == 1)
		return text_copy("it is all that the program does; which part of it gains is not "
				 "sure yet");
	if (verdict->target->target->kind == TARGET_CLASS)
		return text_format("threads wait so for %.0f %% of the time", 100 * share);
	if (verdict->effect->paced_load.share > 0 && ratio > WAITED_FOR)
		return text_format("it takes %.0f %% of all threads' time, and work that timers "
				   "start takes %.0f %% at any rate",
				   100 * share, 100 * verdict->effect->paced_load.share);
	/* A share of all threads' time is small, too, where most threads are idle all the time. */
	if (advice->busy_cores < ALONE_MOST && !advice->serves && ratio >= HIDDEN)
		return text_format("it takes %.0f %% of the time, and nothing runs beside it",
				   100 * (ratio > WAITED_FOR ? pace : share));
	double awake = share / fmax(share, 1 - advice->sleep_share);
	if (ratio > WAITED_FOR && kind != TARGET_SYSTEM_CALL && pace < WAITED_FOR * awake)
		return text_format("it takes %.0f %% of the time in which threads do not sleep; "
				   "the pace depends on it for %.0f %% of the time",
				   100 * awake, 100 * pace);
	if (ratio > WAITED_FOR)
		return text_format(
			"it takes only %.0f %% of all threads' time, but the pace depends on it "
			"for %.0f %% of the time: others wait for it, or do work that is not "
			"counted",
			100 * share, 100 * pace);
	if (ratio < HIDDEN)
		return text_format("it takes %.0f %% of all threads' time, but others hide a part: "
				   "the pace depends on it for %.0f %% of the time",
				   100 * share, 100 * pace);
	return text_format("it takes %.0f %% of all threads' time, and the pace follows it",
			   100 * share);
}

#define PACED \
	"%.0f %% of its pace is set from outside: by devices, timers, clients or other programs. "
/* A program whose threads contend also takes more CPU time for a unit while it pauses. */
#define CPU_TIME_PACED                                                                          \
	"%.0f %% of its CPU time does not stop while it pauses: devices, timers or others set " \
	"its pace, or its threads contend. "

char *advice_limits(const struct advice *advice)
{
	AUTO(text) char *cores = NULL;
	AUTO(text) char *paced = NULL;
	double busy = advice->busy_cores;

	if (advice->paced_share > 0)
		paced = text_format(advice->paced_is_cpu_time ? CPU_TIME_PACED : PACED,
				    100 * advice->paced_share);
	if (advice->taken_share > TAKEN_LEAST)
		cores = text_format("Other programs took %.0f %% of the core time that it could "
				    "use: a machine of its own gives a better answer.",
				    100 * advice->taken_share);
	else if (busy < IDLE_MOST)
		cores = text_format("It waits for most of the time: lever record shows for what.");
	else if (advice->cores > 1 && busy < MOSTLY_ALONE && advice->serves)
		cores = text_format("Its own threads use %.1f of %u cores; clients on this machine "
				    "use some, too.",
				    busy, advice->cores);
	else if (advice->cores > 1 && busy < MOSTLY_ALONE)
		cores = text_format("%s thread runs at a time, on %u cores: doing parts of it side "
				    "by side could save up to %.0f %% of the time.",
				    busy < ALONE_MOST ? "One" : "Mostly one", advice->cores,
				    100 - 100 * fmax(1, busy) / advice->cores);
	else if (advice->cores && busy >= BUSY_LEAST * advice->cores)
		cores = text_format("%.1f of %u cores are busy: less work helps, or more cores.",
				    fmin(busy, advice->cores), advice->cores);
	if (!cores && !paced)
		return NULL;
	return text_format("%s%s", paced ? paced : "", cores ? cores : "");
}
