/* SPDX-License-Identifier: BSD-2-Clause */
/* unanswered - adds up the code of each function, and looks for a verdict about it. */
#include "report/causal/unanswered.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/json.h"
#include "report/run_totals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OWN_CODE_LEAST 0.5    /* of a function's own time, in lines with a verdict */
#define ONLY_CALLEE_LEAST 0.9 /* of a function's time */
#define CALLEES_MOST 8

/* The function, or the name where none is known; "read" for "syscall:read". */
static const char *function_of(const struct recording_target *target)
{
	const char *colon = strchr(target->name, ':');

	if (target->kind == TARGET_SYSTEM_CALL && colon)
		return colon + 1;
	return target->function ? target->function : target->name;
}

static bool is_own_code(const struct causal_target *target)
{
	return target->target->kind == TARGET_LINE || target->target->kind == TARGET_FUNCTION;
}

/* A call of another file's function, by code without a name. */
static bool is_call(const struct recording_target *target)
{
	return target->kind == TARGET_FUNCTION && !target->line && target->file && target->object &&
	       strcmp(target->file, target->object) != 0;
}

/* As of a thread that only draws a progress bar: a longer run tells no more of it. */
static bool is_sleep(const struct recording_target *target)
{
	static const char *const calls[] = {"nanosleep", "clock_nanosleep", "usleep", "sleep",
					    "pause"};

	for (size_t i = 0; is_call(target) && i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(function_of(target), calls[i]))
			return true;
	return false;
}

static bool is_whole_function(const struct causal_target *target)
{
	enum target_kind kind = target->target->kind;

	return kind == TARGET_FUNCTION || kind == TARGET_INCLUSIVE || kind == TARGET_SYSTEM_CALL;
}

static bool has_verdict(const struct target_verdicts *verdicts, const struct causal_target *target)
{
	for (size_t i = 0; i < verdicts->count; i++)
		if (verdicts->items[i].target == target)
			return true;
	return false;
}

/* All that a report knows of one function. */
struct knowledge {
	struct unanswered_place place;
	double answered; /* of its own code */
	bool is_answered;
};

static unsigned tries_of(const struct causal_target *target)
{
	return target->experiments + target->overcharged + target->uncharged +
	       target->paused_whole + target->displaced;
}

static bool is_about(const struct causal_target *target, const char *function)
{
	return (is_whole_function(target) || is_own_code(target)) &&
	       !strcmp(function_of(target->target), function);
}

/* Of targets that were tried as often, the one whose time is nearest to that of its own code. */
static const struct causal_target *tried_most(const struct causal *causal, const char *function,
					      double own_share)
{
	const struct causal_target *best = NULL;

	for (size_t i = 0; i < causal->count; i++) {
		const struct causal_target *target = &causal->targets[i];
		if (!is_about(target, function))
			continue;
		bool is_tie = best && tries_of(target) == tries_of(best);
		if (!best || tries_of(target) > tries_of(best) ||
		    (is_tie && fabs(target->share - own_share) < fabs(best->share - own_share)))
			best = target;
	}
	return best;
}

static struct knowledge know(const struct causal *causal, const struct target_verdicts *verdicts,
			     const char *function)
{
	struct knowledge known = {.place = {.function = function}};

	for (size_t i = 0; i < causal->count; i++) {
		const struct causal_target *target = &causal->targets[i];
		if (!is_about(target, function))
			continue;
		bool is_told = has_verdict(verdicts, target);
		known.place.share += is_own_code(target) ? target->share : 0;
		known.answered += is_own_code(target) && is_told ? target->share : 0;
		known.is_answered |= is_whole_function(target) && is_told;
	}
	known.is_answered |=
		known.place.share > 0 && known.answered >= OWN_CODE_LEAST * known.place.share;
	known.place.target = tried_most(causal, function, known.place.share);
	return known;
}

/* The function's target of a kind; NULL: it has none. */
static const struct recording_target *target_of(const struct causal *causal, enum target_kind kind,
						const char *function)
{
	for (size_t i = 0; i < causal->count; i++) {
		const struct recording_target *other = causal->targets[i].target;
		if (other->kind == kind && !strcmp(function_of(other), function))
			return other;
	}
	return NULL;
}

/* What this function calls for nearly all of its time; NULL: nothing. */
static const struct recording_target *only_callee(const struct recording *recording,
						  int64_t target_id)
{
	double own_ns = 0;

	for (size_t i = 0; i < recording->samples.count; i++)
		if (recording->samples.items[i].target_id == target_id)
			own_ns += (double)recording->samples.items[i].sampled_ns;
	for (size_t i = 0; i < recording->call_edges.count; i++) {
		const struct recording_call_edge *edge = &recording->call_edges.items[i];
		const struct recording_target *inner = recording_target(recording, edge->inner_id);
		if (edge->outer_id == target_id && inner && inner->kind == TARGET_INCLUSIVE &&
		    (double)edge->sampled_ns >= ONLY_CALLEE_LEAST * own_ns)
			return inner;
	}
	return NULL;
}

/* As main sleeps by usleep, nanosleep and clock_nanosleep, which is a system call. */
static bool is_callee_answered(const struct report *report, const struct target_verdicts *verdicts,
			       const struct recording_target *target)
{
	for (unsigned i = 0; i < CALLEES_MOST && target; i++) {
		target = only_callee(report->recording, target->id);
		if (target && know(report->causal, verdicts, function_of(target)).is_answered)
			return true;
	}
	return false;
}

/* By the function, or by calls of it in a file whose scope ends there. */
static bool is_told_inside(const struct report *report, const struct target_verdicts *verdicts,
			   const char *function)
{
	static const enum target_kind kinds[] = {TARGET_INCLUSIVE, TARGET_FUNCTION};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (is_callee_answered(report, verdicts,
				       target_of(report->causal, kinds[i], function)))
			return true;
	return false;
}

/* A target of a function's own code. */
struct own_code {
	const char *function;
	double share;
};

static int compare_functions(const void *left, const void *right)
{
	const struct own_code *a = left, *b = right;

	return strcmp(a->function, b->function);
}

/* Sets the hot functions, by name, with the share of all their own code; returns their number. */
static size_t find_hot(const struct causal *causal, struct own_code *codes)
{
	size_t count = 0, hot = 0, end;

	for (size_t i = 0; i < causal->count; i++)
		if (is_own_code(&causal->targets[i]) && !is_sleep(causal->targets[i].target))
			codes[count++] = (struct own_code){function_of(causal->targets[i].target),
							   causal->targets[i].share};
	if (count)
		qsort(codes, count, sizeof(*codes), compare_functions);
	for (size_t first = 0; first < count; first = end) {
		struct own_code sum = {codes[first].function, 0};
		for (end = first; end < count && !compare_functions(&codes[first], &codes[end]);
		     end++)
			sum.share += codes[end].share;
		if (sum.share >= UNANSWERED_LEAST)
			codes[hot++] = sum;
	}
	return hot;
}

static void insert(struct unanswered *list, struct unanswered_place place)
{
	unsigned at = list->count < UNANSWERED_MOST ? list->count++ : UNANSWERED_MOST;

	for (; at > 0 && list->items[at - 1].share < place.share; at--)
		if (at < UNANSWERED_MOST)
			list->items[at] = list->items[at - 1];
	if (at < UNANSWERED_MOST)
		list->items[at] = place;
}

/* Did the user say what to speed up? */
static bool has_named_targets(const struct recording_run *run)
{
	return run && (!run->options || strstr(run->options, "\"--target") ||
		       strstr(run->options, "\"--focus") || strstr(run->options, "\"--class"));
}

struct unanswered unanswered_of(const struct report *report, const struct target_verdicts *verdicts)
{
	const struct causal *causal = report->causal;
	struct unanswered list = {0};

	if (has_named_targets(run_totals_of(report->recording).last))
		return list;
	struct own_code *codes = memory_new(causal->count + 1, sizeof(*codes));
	size_t count = find_hot(causal, codes);
	for (size_t i = 0; i < count; i++) {
		struct knowledge known = know(causal, verdicts, codes[i].function);
		if (!known.is_answered && !is_told_inside(report, verdicts, codes[i].function))
			insert(&list, known.place);
	}
	free(codes);
	return list;
}

/* Its windows that were discarded as they were recorded; other programs are the first reason. */
static char *why_discarded(const struct recording *recording, int64_t target_id)
{
	unsigned displaced = 0, others = 0;

	for (size_t i = 0; i < recording->experiments.count; i++) {
		const struct recording_experiment *window = &recording->experiments.items[i];
		bool is_own = window->target_id == target_id;
		displaced += is_own && window->verdict == VERDICT_DISPLACED;
		others += is_own && (window->verdict == VERDICT_TOO_FEW_VISITS ||
				     window->verdict == VERDICT_CUT_SHORT);
	}
	if (displaced >= others && displaced)
		return text_copy("other programs disturbed its experiments");
	return text_copy(others ? "too few visits in its experiments" : "not tried");
}

char *unanswered_reason(const struct recording *recording, const struct causal_target *target)
{
	unsigned mischarged = target->overcharged + target->uncharged + target->paused_whole;

	if (target->count)
		return text_format("interval too wide after %u experiments", target->experiments);
	if (target->experiments)
		return text_format("%u experiment%s too few", target->experiments,
				   target->experiments > 1 ? "s are" : " is");
	if (mischarged)
		return text_format("all %u experiments contradict its samples", mischarged);
	if (target->displaced)
		return text_copy("other programs disturbed its experiments");
	return why_discarded(recording, target->target->id);
}

const char *unanswered_option(const struct unanswered_place *place)
{
	const struct recording_target *target = place->target->target;

	return is_call(target) ? NULL : target->name;
}

json_t *unanswered_json(const struct report *report, const struct target_verdicts *verdicts)
{
	struct unanswered list = unanswered_of(report, verdicts);
	json_t *places = json_array();

	for (unsigned i = 0; i < list.count; i++) {
		const struct unanswered_place *place = &list.items[i];
		AUTO(text) char *reason = unanswered_reason(report->recording, place->target);
		json_array_append_new(
			places, json_pack("{sI so so ss}", "target",
					  (json_int_t)(place->target - report->causal->targets),
					  "function", json_text(place->function), "share",
					  json_number(place->share), "reason", reason));
	}
	return places;
}
