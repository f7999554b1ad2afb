/* SPDX-License-Identifier: BSD-2-Clause */
/* tail_latency - percentiles as text and as JSON. */
#include "report/causal/tail_latency.h"

#include "base/cleanup.h"
#include "report/causal/verdict_json.h"
#include "report/causal/verdict_table.h"
#include "report/display.h"
#include "report/header.h"
#include "report/json.h"
#include "report/report.h"
#include "report/terminal.h"

/* Handles the percentile as an effect of its own. */
static struct causal_effect effect_of(const struct causal_effect *effect)
{
	struct causal_effect tail = *effect;

	tail.points = tail.bare = effect->tail.points;
	tail.count = effect->tail.count;
	tail.slope = effect_slope(tail.points, tail.count);
	tail.is_contention = tail.slope.windows > 0 && tail.slope.high < 0;
	tail.outcome = tail.is_contention                           ? EFFECT_CONTENTION :
		       tail.slope.windows > 0 && tail.slope.low > 0 ? EFFECT_GAIN :
								      EFFECT_UNSURE;
	return tail;
}

static bool has_verdict(const struct causal_effect *effect)
{
	return effect->tail.status == TAIL_ANSWERED && effect->tail.count;
}

/* The verdict on the percentile at VERDICT_SPEEDUP. False if it is unknown. */
static bool percentile_verdict(const struct target_verdict *verdict, struct target_verdict *tail)
{
	if (!has_verdict(verdict->effect))
		return false;
	struct causal_effect effect = effect_of(verdict->effect);
	*tail = verdict_of(verdict->target, &effect);
	bool says_nothing = verdict_is_too_wide(tail);
	tail->effect = verdict->effect;
	return !says_nothing;
}

/* By status: its name in files, and its text. */
static const struct {
	const char *name, *words;
} troubles[] = {
	[TAIL_ANSWERED] = {NULL, "the experiments differ too much"},
	[TAIL_NOT_MEASURED] = {"not_measured", "not measured"},
	[TAIL_FEW_SPANS] = {"few_spans", "too few spans"},
	[TAIL_SHORT] = {"short", "spans are too short for the sampling period"},
	[TAIL_LONG] = {"long", "spans are too long for the experiments"},
	[TAIL_FEW_AT_SPEEDUP] = {"few_fast", "too few spans at speedups"},
	[TAIL_UNMEASURED_TIME] = {"elsewhere", "spans end in another thread"},
	[TAIL_PHASES] = {"phases", "the code runs in phases"},
};

static char *words_of(const struct target_verdict *verdict)
{
	const struct tail *tail = &verdict->effect->tail;
	struct target_verdict moved;

	if (!percentile_verdict(verdict, &moved)) {
		double lacking_ns = verdict->effect->tail_lacking_ns;
		AUTO(text) char *spans = display_count((uint64_t)tail->spans);
		AUTO(text) char *longer = display_duration(lacking_ns);
		AUTO(text) char *advice = text_format("; a run %s longer may tell", longer);
		return text_format("unknown: %s (%s without a speedup)%s",
				   troubles[tail->status].words, spans,
				   lacking_ns > 0 ? advice : "");
	}
	AUTO(text) char *gain = display_gain(-moved.at.gain);
	AUTO(text) char *length = display_duration(tail->length_ns);
	return text_format("%s ±%.1f, from %s", gain, verdict_half_interval(&moved) * 100, length);
}

void tail_latency_print(FILE *out, const struct target_verdicts *verdicts,
			const struct report_options *options)
{
	bool is_first = true;

	for (size_t i = 0; i < verdicts->count; i++) {
		const struct target_verdict *verdict = &verdicts->items[i];
		if (verdict->effect->point->kind != POINT_LATENCY ||
		    verdict->effect->tail.status == TAIL_NOT_MEASURED ||
		    (options->most && verdict->rank > options->most))
			continue;
		if (is_first)
			fprintf(out, "99th percentile, if %.0f %% faster:\n",
				100 * VERDICT_SPEEDUP);
		is_first = false;
		AUTO(text) char *name = display_clean(verdict->target->target->name);
		AUTO(text) char *point = display_clean(verdict->effect->point->name);
		AUTO(text) char *moved = words_of(verdict);
		AUTO(text)
		char *line = text_format("%s → %s: %s", name, point, moved);
		fprintf(out, "%3u  ", verdict->rank);
		terminal_wrapped(out, line, 5, options->columns);
	}
	if (!is_first)
		fputc('\n', out);
}

json_t *tail_latency_json(const struct causal_target *target, const struct causal_effect *effect)
{
	const struct tail *tail = &effect->tail;
	struct target_verdict verdict = {.target = target, .effect = effect}, moved;
	bool is_known = percentile_verdict(&verdict, &moved);
	json_t *points = json_array();

	if (tail->status == TAIL_NOT_MEASURED) {
		json_decref(points);
		return json_null();
	}
	for (size_t i = 0; has_verdict(effect) && i < tail->count; i++)
		json_array_append_new(points, effect_point_json(&tail->points[i]));
	return json_pack("{so so so so so so}", "length_ns",
			 tail->length_ns > 0 ? json_number(tail->length_ns) : json_null(), "spans",
			 json_count((uint64_t)tail->spans), "unknown",
			 json_text(troubles[tail->status].name), "lacking_ns",
			 effect->tail_lacking_ns > 0 ? json_number(effect->tail_lacking_ns) :
						       json_null(),
			 "points", points, "answer", is_known ? verdict_json(&moved) : json_null());
}
