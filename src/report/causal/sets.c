/* SPDX-License-Identifier: BSD-2-Clause */
/* sets - interactions of sets, and targets before and after others are faster. */
#include "report/causal/sets.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "report/display.h"
#include "report/json.h"
#include "report/terminal.h"

#include <string.h>

static const char *const words[] = {
	[INTERACTION_UNKNOWN] = "not distinguishable from their sum; a longer run tells more",
	[INTERACTION_ONLY_TOGETHER] = "only together",
	[INTERACTION_MORE] = "more together than apart",
	[INTERACTION_ADDITIVE] = "additive",
	[INTERACTION_LESS] = "less together than apart: each makes the others worth less",
};

struct interaction sets_interaction(const struct report *report,
				    const struct target_verdict *verdict)
{
	const struct causal_effect *effect = verdict->effect;
	double highest = effect->count ? effect->points[effect->count - 1].speedup : 0;

	if (verdict->target->target->kind != TARGET_SET)
		return (struct interaction){0};
	return interaction_of(report->recording, report->causal, verdict->target, effect,
			      highest < SETS_SPEEDUP ? verdict->at.speedup : SETS_SPEEDUP);
}

bool sets_is_more(const struct interaction *found)
{
	return found->kind == INTERACTION_ONLY_TOGETHER || found->kind == INTERACTION_MORE;
}

bool sets_is_found(const struct recording *recording, const struct recording_target *target)
{
	for (size_t i = 0; i < recording->set_searches.count; i++)
		if (target->kind == TARGET_SET &&
		    text_equals(recording->set_searches.items[i].members, target->name))
			return true;
	return false;
}

static bool is_measured(const struct report *report, const char *name)
{
	for (size_t i = 0; i < report->causal->count; i++) {
		const struct causal_target *target = &report->causal->targets[i];
		if (target->target->kind == TARGET_SET && target->experiments &&
		    text_equals(target->target->name, name))
			return true;
	}
	return false;
}

/* "--target left --with right" for "left + right"; to be freed. */
static char *options_of(const char *members)
{
	const char *separator = " + ";
	char *options = text_copy("");

	for (const char *from = members, *end; from; from = end ? end + strlen(separator) : NULL) {
		end = strstr(from, separator);
		AUTO(text) char *before = options;
		size_t length = end ? (size_t)(end - from) : strlen(from);
		AUTO(text) char *name = text_format("%.*s", (int)length, from);
		AUTO(text) char *quoted = display_argument(name);
		options = text_format("%s%s %s", before, *before ? " --with" : "--target", quoted);
	}
	return options;
}

char *sets_found_late(const struct report *report)
{
	const struct recording *recording = report->recording;

	for (size_t i = 0; i < recording->set_searches.count; i++) {
		const struct recording_set_search *search = &recording->set_searches.items[i];
		if (search->end != SET_SEARCH_END_FOUND || is_measured(report, search->members))
			continue;
		AUTO(text) char *options = options_of(search->members);
		AUTO(text) char *names = display_clean(search->members);
		return text_format("%s may gain only together, but were found too late to be "
				   "measured; %s measures them",
				   names, options);
	}
	return NULL;
}

/* "left, middle and right"; to be freed. */
static char *member_names(const struct recording *recording, const struct recording_target *set)
{
	size_t left = 0;
	char *names = NULL;

	for (size_t i = 0; i < recording->members.count; i++)
		left += recording->members.items[i].target_id == set->id;
	for (size_t i = 0; i < recording->members.count; i++) {
		const struct recording_member *member = &recording->members.items[i];
		if (member->target_id != set->id)
			continue;
		AUTO(text) char *before = names;
		AUTO(text) char *name = display_clean(member->name);
		left--;
		names = text_format("%s%s%s", before ? before : "",
				    !before ? "" :
				    left    ? ", " :
					      " and ",
				    name);
	}
	return names ? names : display_clean(set->name);
}

char *sets_together(const struct report *report, const struct target_verdict *verdict)
{
	struct interaction found = sets_interaction(report, verdict);
	AUTO(text) char *names = member_names(report->recording, verdict->target->target);
	AUTO(text) char *together = display_gain(found.together);
	AUTO(text) char *sum = display_gain(found.sum);
	AUTO(text)
	char *alone = found.kind == INTERACTION_ONLY_TOGETHER ?
			      text_copy("nothing alone") :
			      text_format("%s as the sum of each alone", sum);

	return text_format("%s: %s, %s ±%.1f together, each %.3g %% faster", names, alone, together,
			   50 * (found.together_high - found.together_low), 100 * found.speedup);
}

static void print_interaction(FILE *out, const struct target_verdict *verdict,
			      const struct interaction *found, const struct report_options *options)
{
	AUTO(text) char *name = display_clean(verdict->target->target->name);
	AUTO(text) char *together = display_gain(found->together);
	AUTO(text) char *sum = display_gain(found->sum);
	AUTO(text) char *difference = display_gain(found->difference);
	AUTO(text)
	char *text = text_format("%s by %.3g %%: %s together, %s as the sum of each alone "
				 "(difference %s ±%.1f): %s",
				 name, 100 * found->speedup, together, sum, difference,
				 50 * (found->high - found->low), words[found->kind]);

	terminal_wrapped(out, text, 0, options->columns);
}

/* The same target without the standing speedups; NULL: it was not measured. */
static const struct target_verdict *without_assumed(const struct target_verdicts *verdicts,
						    const struct target_verdict *after)
{
	const struct recording_target *wanted = after->target->target;

	for (size_t i = 0; i < verdicts->count; i++) {
		const struct target_verdict *before = &verdicts->items[i];
		const struct recording_target *target = before->target->target;
		if (target->assumed || target->kind != wanted->kind ||
		    before->effect->point != after->effect->point)
			continue;
		AUTO(text) char *name = recording_target_name(target->name, wanted->assumed);
		if (!strcmp(name, wanted->name))
			return before;
	}
	return NULL;
}

static void print_order(FILE *out, const struct target_verdict *after,
			const struct target_verdict *before, const struct report_options *options)
{
	AUTO(text) char *assumed = display_clean(after->target->target->assumed);
	AUTO(text) char *name = display_clean(before->target->target->name);
	AUTO(text) char *gain = display_gain(after->at.gain);
	AUTO(text) char *gain_before = display_gain(before->at.gain);
	AUTO(text)
	char *text = text_format("once %s is faster, optimizing %s by %.3g %% → program %s "
				 "(±%.1f); before, %s (±%.1f)",
				 assumed, name, 100 * after->at.speedup, gain,
				 100 * verdict_half_interval(after), gain_before,
				 100 * verdict_half_interval(before));

	terminal_wrapped(out, text, 0, options->columns);
}

void sets_print(FILE *out, const struct report *report, const struct target_verdicts *verdicts,
		const struct report_options *options)
{
	for (size_t i = 0; i < verdicts->count; i++) {
		const struct target_verdict *verdict = &verdicts->items[i];
		struct interaction found = sets_interaction(report, verdict);
		const struct target_verdict *before = verdict->target->target->assumed ?
							      without_assumed(verdicts, verdict) :
							      NULL;
		if (found.is_measured)
			print_interaction(out, verdict, &found, options);
		if (before && verdict->effect->point->kind != POINT_LATENCY)
			print_order(out, verdict, before, options);
	}
}

void sets_add_members(json_t *target, const struct recording *recording,
		      const struct recording_target *what)
{
	json_t *members = json_array();

	for (size_t i = 0; i < recording->members.count; i++) {
		const struct recording_member *member = &recording->members.items[i];
		if (member->target_id == what->id)
			json_array_append_new(members,
					      json_pack("{ss so so}", "kind",
							target_kind_name(member->kind), "name",
							json_text(member->name), "level",
							json_number(member->level)));
	}
	if (what->kind == TARGET_SET)
		json_object_set(target, "members", members);
	json_decref(members);
	if (what->assumed)
		json_object_set_new(target, "assumed", json_text(what->assumed));
}

json_t *sets_interaction_json(const struct report *report, const struct causal_target *target,
			      const struct causal_effect *effect)
{
	struct target_verdict verdict = verdict_of(target, effect);
	struct interaction found = sets_interaction(report, &verdict);

	if (target->target->kind != TARGET_SET)
		return NULL;
	if (!found.is_measured)
		return json_null();
	return json_pack("{so so so so so so ss}", "speedup", json_number(found.speedup),
			 "program_speedup", json_number(found.together), "sum",
			 json_number(found.sum), "difference", json_number(found.difference), "low",
			 json_number(found.low), "high", json_number(found.high), "verdict",
			 interaction_name(found.kind));
}

static char *search_text(const struct recording_set_search *search)
{
	AUTO(text) char *excess = display_gain(search->excess);
	AUTO(text) char *names = display_clean(search->members ? search->members : "");
	AUTO(text) char *time = display_duration((double)search->duration_ns);

	switch (search->end) {
	case SET_SEARCH_END_FOUND:
		return text_format("A search among %u functions (%s) proposed %s.",
				   search->candidates, time, names);
	case SET_SEARCH_END_NOTHING:
		return text_format("No set of %u functions gains more together than apart "
				   "(looked for during %s).",
				   search->candidates, time);
	case SET_SEARCH_END_SPREAD:
		return text_format("Functions gain only together (%s beyond their sum), but no "
				   "small set of them does; among them are %s.",
				   excess, names);
	case SET_SEARCH_END_UNFINISHED:
		break;
	}
	return text_format("The search for functions that gain only together did not end in %s; "
			   "a longer run (--seconds) goes on for longer.",
			   time);
}

char *sets_search_text(const struct recording *recording)
{
	char *text = NULL;

	for (size_t i = 0; i < recording->set_searches.count; i++) {
		AUTO(text) char *before = text;
		AUTO(text) char *one = search_text(&recording->set_searches.items[i]);
		text = text_format("%s%s%s", before ? before : "", before ? " " : "", one);
	}
	return text;
}

static json_t *measures_json(const struct recording *recording,
			     const struct recording_set_search *search)
{
	json_t *measures = json_array();

	for (size_t i = 0; i < recording->set_measures.count; i++) {
		const struct recording_set_measure *one = &recording->set_measures.items[i];
		if (one->run_id != search->run_id || one->search != search->search)
			continue;
		json_array_append_new(measures,
				      json_pack("{so so sI so so}", "members",
						json_text(one->members), "speedup",
						json_number(one->speedup), "measurements",
						(json_int_t)one->measurements, "program_speedup",
						json_number(1 - one->ratio), "error",
						json_number(one->error)));
	}
	return measures;
}

json_t *sets_searches_json(const struct recording *recording)
{
	json_t *searches = json_array();

	for (size_t i = 0; i < recording->set_searches.count; i++) {
		const struct recording_set_search *search = &recording->set_searches.items[i];
		json_array_append_new(searches,
				      json_pack("{ss sI so so so so}", "end",
						set_search_end_name(search->end), "candidates",
						(json_int_t)search->candidates, "duration_ns",
						json_count(search->duration_ns), "excess",
						json_number(search->excess), "found",
						json_text(search->members), "measured",
						measures_json(recording, search)));
	}
	return searches;
}
