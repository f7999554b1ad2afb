/* SPDX-License-Identifier: BSD-2-Clause */
/* profile_notes - compares runs, first places and functions. */
#include "analyze/diff/profile_notes.h"
#include "analyze/diff/function_match.h"

#include "base/cleanup.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

#define OTHERS_DIFFER_LEAST 0.03
#define GONE_SHARE_LEAST 0.02
#define DEARER_SHOWN 3

void profile_notes_add_one(struct profile_pair *pair, char *sentence)
{
	*array_add(&pair->notes) = sentence;
}

static const struct recording_run *last_run(const struct profile_pair *pair, unsigned side)
{
	const struct recording *recording = pair->recordings[side];
	return &recording->runs.items[recording->runs.count - 1];
}

static const char *known(const char *text)
{
	return text ? text : "unknown";
}

static void add_difference(struct profile_pair *pair, const char *what, const char *before,
			   const char *after)
{
	if (!text_equals(before, after))
		profile_notes_add_one(pair, text_format("%s differs: %s before, %s after", what,
							known(before), known(after)));
}

static void add_commits(struct profile_pair *pair, const struct recording_run *before,
			const struct recording_run *after)
{
	if (before->commit && after->commit && !text_equals(before->commit, after->commit))
		profile_notes_add_one(pair, text_format("the commit differs: %.12s before, %.12s "
							"after",
							before->commit, after->commit));
}

/* The command without its first word, which is the program. */
static const char *arguments_of(const struct recording_run *run)
{
	const char *comma = run->command ? strchr(run->command, ',') : NULL;
	return comma ? comma : "";
}

static void add_conditions(struct profile_pair *pair)
{
	const struct recording_run *before = last_run(pair, PROFILE_BEFORE);
	const struct recording_run *after = last_run(pair, PROFILE_AFTER);
	size_t already = pair->notes.count;

	/* A container's host name is of chance; the processor is not. Older files lack it. */
	if (before->machine && after->machine)
		add_difference(pair, "the machine", before->machine, after->machine);
	else
		add_difference(pair, "the machine", before->host, after->host);
	if (strcmp(arguments_of(before), arguments_of(after)))
		profile_notes_add_one(pair,
				      text_format("the program's arguments differ: %s before, "
						  "%s after",
						  known(before->command), known(after->command)));
	pair->is_void = pair->notes.count > already;
	add_commits(pair, before, after);
	add_difference(pair, "the kernel", before->kernel, after->kernel);
	add_difference(pair, "the engine", before->engine, after->engine);
	add_difference(pair, "lever's version", before->version, after->version);
	if (before->finished != after->finished)
		profile_notes_add_one(pair, text_copy("one of the recordings was cut short"));
	if (before->exit_status >= 0 && after->exit_status >= 0 &&
	    before->exit_status != after->exit_status)
		profile_notes_add_one(pair, text_copy("the program ended in another way: compare "
						      "its exit codes"));
}

static const struct causal_target *first_place(const struct profile_pair *pair, unsigned side)
{
	const struct causal *causal = pair->causal[side];
	const struct causal_target *first = causal->count ? &causal->targets[0] : NULL;

	for (size_t i = 0; first && i < first->count; i++)
		if (first->effects[i].point == pair->points[side] &&
		    first->effects[i].slope.windows && first->effects[i].slope.low > 0)
			return first;
	return NULL;
}

static const char *function_of(const struct causal_target *target)
{
	return target->target->function ? target->target->function : target->target->name;
}

static void add_bottleneck(struct profile_pair *pair)
{
	const struct causal_target *before = first_place(pair, PROFILE_BEFORE);
	const struct causal_target *after = first_place(pair, PROFILE_AFTER);

	if (before && after && !text_equals(function_of(before), function_of(after)))
		profile_notes_add_one(pair, text_format("the bottleneck moved: the first place was "
							"%s, and is %s",
							function_of(before), function_of(after)));
}

static void add_one_sided(struct profile_pair *pair, const struct changed_function *function)
{
	bool is_gone = !function->sides[PROFILE_AFTER];
	const struct function_cost *cost =
		function->sides[is_gone ? PROFILE_BEFORE : PROFILE_AFTER];
	double share = cost->per_visit_ns / pair->costs[PROFILE_BEFORE].all_ns;

	if (share < GONE_SHARE_LEAST)
		return;
	profile_notes_add_one(pair,
			      text_format("%s is %s: %.1f %% of the sampled time before; %s",
					  known(cost->name), is_gone ? "gone" : "new", 100 * share,
					  is_gone ? "it may be inlined or renamed" :
						    "it may hold what was inlined before"));
}

static void add_new_name(struct profile_pair *pair, const struct changed_function *function)
{
	const struct function_cost *before = function->sides[PROFILE_BEFORE];
	const struct function_cost *after = function->sides[PROFILE_AFTER];
	struct function_name names[] = {{.name = before->name}, {.name = after->name}};

	if (before->per_visit_ns > GONE_SHARE_LEAST * pair->costs[PROFILE_BEFORE].all_ns &&
	    function_match_is_renamed(&names[0], &names[1]))
		profile_notes_add_one(pair, text_format("%s has another name after: %s",
							before->name, after->name));
}

static void add_joined(struct profile_pair *pair, const struct changed_function *function)
{
	for (unsigned side = 0; side < 2; side++) {
		const struct function_cost *cost = function->sides[side];
		for (size_t i = 0; i < cost->joined_count; i++)
			profile_notes_add_one(
				pair,
				side == PROFILE_BEFORE ?
					text_format("the code of %s is in %s after; their costs "
						    "before are taken together",
						    known(cost->joined[i]),
						    known(function->sides[PROFILE_AFTER]->name)) :
					text_format("the code of %s was in %s before; their costs "
						    "after are taken together",
						    known(cost->joined[i]),
						    known(function->sides[PROFILE_BEFORE]->name)));
	}
}

static void add_functions(struct profile_pair *pair)
{
	size_t dearer = 0;

	for (size_t i = 0; i < pair->count; i++) {
		const struct changed_function *function = &pair->functions[i];
		if (!function->sides[PROFILE_BEFORE] || !function->sides[PROFILE_AFTER]) {
			add_one_sided(pair, function);
			continue;
		}
		add_new_name(pair, function);
		add_joined(pair, function);
		if (!function->is_changed || function->speedup > 0 || function == pair->main)
			continue;
		if (dearer++ < DEARER_SHOWN)
			profile_notes_add_one(
				pair, text_format("%s costs %.0f %% more a visit",
						  known(function->sides[PROFILE_BEFORE]->name),
						  -100 * function->speedup));
	}
}

static void add_others(struct profile_pair *pair)
{
	double percent = 100 * (pair->other_ratio - 1);

	if (!isfinite(percent) || fabs(percent) < 100 * OTHERS_DIFFER_LEAST)
		return;
	if (pair->is_corrected)
		profile_notes_add_one(
			pair,
			text_format("the functions that did not change cost %.1f %% %s a visit, "
				    "so the machine's speed differed; this is taken off",
				    fabs(percent), percent < 0 ? "less" : "more"));
	else
		profile_notes_add_one(
			pair,
			text_format("the functions that did not change cost %.1f %% %s a visit: "
				    "the machine, the input or the build differs for all code",
				    fabs(percent), percent < 0 ? "less" : "more"));
}

void profile_notes_add(struct profile_pair *pair)
{
	add_conditions(pair);
	add_bottleneck(pair);
	add_functions(pair);
	add_others(pair);
}
