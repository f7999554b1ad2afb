/* SPDX-License-Identifier: BSD-2-Clause */
/* tails - percentiles in words and as JSON. */
#include "report/tails.h"

#include "base/own.h"
#include "report/header.h"
#include "report/json_parts.h"
#include "report/report.h"
#include "report/table.h"
#include "report/words.h"

/* As if the percentile were an effect of its own. */
static struct causal_effect effect_of(const struct causal_effect *effect)
{
	struct causal_effect tail = *effect;

	tail.points = effect->tail.points;
	tail.count = effect->tail.count;
	tail.slope = effect_slope(tail.points, tail.count);
	tail.is_contention = tail.slope.windows > 0 && tail.slope.high < 0;
	return tail;
}

static bool is_answered(const struct causal_effect *effect)
{
	return effect->tail.trouble == TAIL_ANSWERED && effect->tail.count;
}

bool tails_answer(const struct answer *answer, struct answer *tail)
{
	if (!is_answered(answer->effect))
		return false;
	struct causal_effect effect = effect_of(answer->effect);
	*tail = answer_of(answer->target, &effect);
	bool says_nothing = answer_says_nothing(tail);
	tail->effect = answer->effect;
	return !says_nothing;
}

/* What files call it, and what readers are told. */
static const struct {
	const char *name, *words;
} troubles[] = {
	[TAIL_ANSWERED] = {NULL, "the experiments differ too much"},
	[TAIL_NOT_MEASURED] = {"not_measured", "not measured"},
	[TAIL_FEW_SPANS] = {"few_spans", "too few spans"},
	[TAIL_SHORT] = {"short", "spans are too short for the sampling period"},
	[TAIL_LONG] = {"long", "spans are too long for the experiments"},
	[TAIL_FEW_FAST] = {"few_fast", "too few spans at speedups"},
	[TAIL_ELSEWHERE] = {"elsewhere", "spans end in another thread than they begin in"},
	[TAIL_PHASES] = {"phases", "the code runs in phases"},
};

static char *words_of(const struct answer *answer)
{
	const struct tail *tail = &answer->effect->tail;
	struct answer moved;

	if (!tails_answer(answer, &moved)) {
		double lacking_ns = answer->effect->tail_lacking_ns;
		AUTO(text) char *spans = words_count((uint64_t)tail->spans);
		AUTO(text) char *longer = words_duration(lacking_ns);
		AUTO(text) char *advice = text_format("; a run that is %s longer may tell", longer);
		return text_format("unknown: %s (%s without a speedup)%s",
				   troubles[tail->trouble].words, spans,
				   lacking_ns > 0 ? advice : "");
	}
	AUTO(text) char *gain = words_gain(-moved.at.gain);
	AUTO(text) char *length = words_duration(tail->length_ns);
	return text_format("%s ±%.1f, from %s", gain, answer_half_interval(&moved) * 100, length);
}

void tails_print(FILE *out, const struct answers *answers, const struct report_options *options)
{
	bool is_first = true;

	for (size_t i = 0; i < answers->count; i++) {
		const struct answer *answer = &answers->items[i];
		if (answer->effect->point->kind != POINT_LATENCY ||
		    answer->effect->tail.trouble == TAIL_NOT_MEASURED ||
		    (options->most && answer->rank > options->most))
			continue;
		if (is_first)
			fprintf(out, "99th percentile, if %.0f %% faster:\n", 100 * ANSWER_SPEEDUP);
		is_first = false;
		AUTO(text) char *name = words_clean(answer->target->target->name);
		AUTO(text) char *point = words_clean(answer->effect->point->name);
		AUTO(text) char *moved = words_of(answer);
		AUTO(text)
		char *line = text_format("%s → %s: %s", name, point, moved);
		fprintf(out, "%3u  ", answer->rank);
		header_wrapped(out, line, 5, options->columns);
	}
	if (!is_first)
		fputc('\n', out);
}

static json_t *answer_json(const struct causal_target *target, const struct causal_effect *effect)
{
	struct answer answer = {.target = target, .effect = effect}, moved;

	if (!tails_answer(&answer, &moved))
		return json_null();
	return json_pack("{so so so so ss}", "speedup", json_number(moved.at.speedup),
			 "program_speedup", json_number(moved.at.gain), "low",
			 json_number(moved.at.low), "high", json_number(moved.at.high), "verdict",
			 answer_verdict_name(moved.verdict));
}

json_t *tails_json(const struct causal_target *target, const struct causal_effect *effect)
{
	const struct tail *tail = &effect->tail;
	json_t *points = json_array();

	if (tail->trouble == TAIL_NOT_MEASURED) {
		json_decref(points);
		return json_null();
	}
	for (size_t i = 0; is_answered(effect) && i < tail->count; i++)
		json_array_append_new(points, json_point_of(&tail->points[i]));
	return json_pack("{so so so so so so}", "length_ns",
			 tail->length_ns > 0 ? json_number(tail->length_ns) : json_null(), "spans",
			 json_count((uint64_t)tail->spans), "unknown",
			 json_text(troubles[tail->trouble].name), "lacking_ns",
			 effect->tail_lacking_ns > 0 ? json_number(effect->tail_lacking_ns) :
						       json_null(),
			 "points", points, "answer", answer_json(target, effect));
}
