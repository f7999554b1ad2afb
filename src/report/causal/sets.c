/* SPDX-License-Identifier: BSD-2-Clause */
/* sets - interactions of sets, and targets before and after others are faster. */
#include "report/causal/sets.h"

#include "analyze/causal/interaction.h"
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

static struct interaction of_verdict(const struct report *report,
				     const struct target_verdict *verdict)
{
	if (verdict->target->target->kind != TARGET_SET)
		return (struct interaction){0};
	return interaction_of(report->recording, report->causal, verdict->target, verdict->effect,
			      verdict->at.speedup);
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
		struct interaction found = of_verdict(report, verdict);
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
	struct interaction found = of_verdict(report, &verdict);

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
