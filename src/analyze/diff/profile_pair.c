/* SPDX-License-Identifier: BSD-2-Clause */
/* profile_pair - matches functions, tests which changed, and judges the prediction. */
#include "analyze/diff/profile_pair.h"

#include "analyze/diff/content_match.h"
#include "analyze/diff/function_match.h"
#include "analyze/diff/machine_speed.h"
#include "analyze/diff/prediction.h"
#include "analyze/diff/profile_notes.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "base/text.h"
#include "stats/distribution.h"
#include "stats/false_discovery.h"
#include "stats/summary.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define TWO_SIDED 1.96
#define NAMED_LEAST 0.5           /* of the time: else names do not tell whether programs are one */
#define COMMON_LEAST 0.1          /* of that of one side, in functions of both */
#define COMMON_LEAST_OF_NAME 0.01 /* the same of programs of one name, renamed functions included */
#define FALSE_DISCOVERY_RATE 0.05
#define SAVED_SHARE_LEAST 0.005 /* of a visit's cost: smaller changes are not named */
/*
 * Standard error of the logarithm of a period or cost by what differs between two runs of the same
 * program: memory layout, machine.
 */
#define RUN_ERROR 0.01
/* The difference of measured and predicted gain must be known to this, or to half the gain. */
#define INFORMATIVE_LEAST 0.04
/* Unchanged functions with this part of the cost tell the machine's speed. */
#define CONTROL_SHARE_LEAST 0.2
#define UNEXPLAINED_MOST 0.3 /* of the savings, by functions without experiments */

static const struct recording_point *find_point(const struct recording *recording,
						const struct recording_point *like)
{
	for (size_t i = 0; i < recording->points.count; i++)
		if (recording->points.items[i].kind == like->kind &&
		    text_equals(recording->points.items[i].name, like->name))
			return &recording->points.items[i];
	return NULL;
}

/* Points of equal names; or the only ones, as FILE:LINE moves with the lines. */
static int choose_points(struct profile_pair *pair, const char *name, struct error *error)
{
	const struct recording *before = pair->recordings[PROFILE_BEFORE];
	const struct recording *after = pair->recordings[PROFILE_AFTER];

	for (size_t i = 0; i < before->points.count && !pair->points[PROFILE_AFTER]; i++) {
		if (name && !text_equals(before->points.items[i].name, name))
			continue;
		pair->points[PROFILE_BEFORE] = &before->points.items[i];
		pair->points[PROFILE_AFTER] = find_point(after, &before->points.items[i]);
	}
	if (pair->points[PROFILE_AFTER])
		return 0;
	if (name || before->points.count != 1 || after->points.count != 1 ||
	    before->points.items[0].kind != after->points.items[0].kind)
		return error_set(error, -EINVAL, "the profiles have no common progress point%s%s",
				 name ? " named " : "", name ? name : "");
	pair->points[PROFILE_BEFORE] = &before->points.items[0];
	pair->points[PROFILE_AFTER] = &after->points.items[0];
	profile_notes_add_one(pair, text_format("the progress points have other names: %s before, "
						"%s after",
						before->points.items[0].name,
						after->points.items[0].name));
	return 0;
}

/* The next word of a command, an array in JSON, as it is written there; NULL: no further one. */
static char *next_word(const char **at)
{
	const char *begin = strchr(*at, '"');

	if (!begin)
		return NULL;
	const char *end = ++begin;
	while (*end && *end != '"')
		end += *end == '\\' && end[1] ? 2 : 1;
	*at = *end ? end + 1 : end;
	return text_format("%.*s", (int)(end - begin), begin);
}

char *profile_pair_program(const struct recording *recording)
{
	size_t runs = recording->runs.count;
	const char *at = runs ? recording->runs.items[runs - 1].command : NULL;
	bool is_after_env = false;

	for (char *word; at && (word = next_word(&at)); free(word)) {
		AUTO(text) char *name = text_copy(path_base(word));
		bool is_env = text_equals(name, "env");
		bool is_of_env = is_after_env && (strchr(word, '=') || *word == '-');
		is_after_env |= is_env;
		if (is_env || is_of_env)
			continue;
		free(word);
		return take(&name);
	}
	return NULL;
}

bool profile_pair_has_name(const char *function)
{
	return function && !strstr(function, "+0x");
}

bool profile_pair_is_common(const struct profile_pair_common *common, bool has_one_name)
{
	double least = has_one_name ? COMMON_LEAST_OF_NAME : COMMON_LEAST;
	bool is_told = true, is_common = false;

	for (unsigned side = 0; side < 2; side++) {
		is_told = is_told && common->named[side] >= NAMED_LEAST * common->all[side];
		is_common |= common->common[side] >= least * common->named[side];
	}
	return !is_told || is_common;
}

static bool is_same_program(const struct profile_pair *pair)
{
	AUTO(text) char *before = profile_pair_program(pair->recordings[PROFILE_BEFORE]);
	AUTO(text) char *after = profile_pair_program(pair->recordings[PROFILE_AFTER]);
	bool has_one_name = before && after && text_equals(before, after);
	struct profile_pair_common common = {0};
	size_t pairs = 0;

	for (size_t i = 0; i < pair->count; i++) {
		const struct function_cost *const *sides = pair->functions[i].sides;
		bool is_pair = sides[0] && sides[1];
		struct function_name names[] = {{.name = is_pair ? sides[0]->name : NULL},
						{.name = is_pair ? sides[1]->name : NULL}};
		bool is_common = is_pair &&
				 (has_one_name || !function_match_is_renamed(&names[0], &names[1]));
		pairs += is_pair;
		for (unsigned side = 0; side < 2; side++) {
			double cost_ns = sides[side] ? sides[side]->per_visit_ns : 0;
			bool has_name = sides[side] && profile_pair_has_name(sides[side]->name);
			common.all[side] += cost_ns;
			common.named[side] += has_name ? cost_ns : 0;
			common.common[side] += has_name && is_common ? cost_ns : 0;
		}
	}
	if (!before || !after)
		return true;
	return (pairs || has_one_name) && profile_pair_is_common(&common, has_one_name);
}

/* See content_match. */
struct function_pairs {
	size_t *matches, *into, *from;
};

static struct function_name *names_of(const struct function_costs *costs)
{
	struct function_name *names = memory_new(costs->count + 1, sizeof(*names));

	for (size_t i = 0; i < costs->count; i++)
		names[i] = (struct function_name){costs->items[i].name, costs->items[i].file,
						  costs->items[i].line};
	return names;
}

/* Sampled lines; to be freed. */
static struct content_side lines_of(const struct recording *recording,
				    const struct function_costs *costs)
{
	struct content_line *lines = memory_new(recording->samples.count + 1, sizeof(*lines));
	struct content_side side = {.lines = lines, .function_count = costs->count};

	for (size_t i = 0; i < recording->samples.count; i++) {
		const struct recording_sample *sample = &recording->samples.items[i];
		const struct recording_target *target =
			recording_target(recording, sample->target_id);
		size_t number = 0;
		if (!target || target->kind != TARGET_LINE)
			continue;
		while (number < costs->count && !function_cost_has(&costs->items[number], target))
			number++;
		if (number < costs->count)
			lines[side.line_count++] =
				(struct content_line){target->content, number,
						      (double)sample->sampled_ns};
	}
	return side;
}

/* By names and places, then by what lines say. */
static void find_matches(struct profile_pair *pair, struct function_pairs *found)
{
	const struct function_costs *before = &pair->costs[PROFILE_BEFORE];
	const struct function_costs *after = &pair->costs[PROFILE_AFTER];
	struct function_name *names[2] = {names_of(before), names_of(after)};
	const struct content_sides lines = {
		.before = lines_of(pair->recordings[PROFILE_BEFORE], before),
		.after = lines_of(pair->recordings[PROFILE_AFTER], after),
	};

	found->matches = memory_new(before->count + 1, sizeof(size_t));
	found->into = memory_new(before->count + 1, sizeof(size_t));
	found->from = memory_new(after->count + 1, sizeof(size_t));
	function_match(names[0], names[1], &lines, found->matches);
	content_match_joined(&lines, found->matches, found->into, found->from);
	free(names[0]);
	free(names[1]);
	free((void *)(uintptr_t)lines.before.lines);
	free((void *)(uintptr_t)lines.after.lines);
}

static size_t number_before(const struct profile_pair *pair, const struct function_pairs *found,
			    size_t after)
{
	for (size_t i = 0; i < pair->costs[PROFILE_BEFORE].count; i++)
		if (found->matches[i] == after)
			return i;
	return FUNCTION_MATCH_NONE;
}

/* Costs of functions that are one on the other side become one; sets `is_joined`. */
static void join_costs(struct profile_pair *pair, const struct function_pairs *found,
		       bool *is_joined[2])
{
	struct function_cost *before = pair->costs[PROFILE_BEFORE].items;
	struct function_cost *after = pair->costs[PROFILE_AFTER].items;

	for (size_t i = 0; i < pair->costs[PROFILE_BEFORE].count; i++) {
		size_t whole = found->into[i] == FUNCTION_MATCH_NONE ?
				       FUNCTION_MATCH_NONE :
				       number_before(pair, found, found->into[i]);
		is_joined[0][i] = whole != FUNCTION_MATCH_NONE &&
				  function_cost_join(&before[whole], &before[i]);
	}
	for (size_t i = 0; i < pair->costs[PROFILE_AFTER].count; i++) {
		size_t whole = found->from[i] == FUNCTION_MATCH_NONE ?
				       FUNCTION_MATCH_NONE :
				       found->matches[found->from[i]];
		is_joined[1][i] = whole != FUNCTION_MATCH_NONE &&
				  function_cost_join(&after[whole], &after[i]);
	}
}

static void match_functions(struct profile_pair *pair)
{
	const struct function_costs *before = &pair->costs[PROFILE_BEFORE];
	const struct function_costs *after = &pair->costs[PROFILE_AFTER];
	struct function_pairs found;
	bool *is_listed[2] = {memory_new(before->count + 1, sizeof(bool)),
			      memory_new(after->count + 1, sizeof(bool))};

	pair->functions = memory_new(before->count + after->count + 1, sizeof(*pair->functions));
	find_matches(pair, &found);
	join_costs(pair, &found, is_listed);
	for (size_t i = 0; i < before->count; i++) {
		size_t match = found.matches[i];
		if (is_listed[0][i])
			continue;
		struct changed_function *function = &pair->functions[pair->count++];
		function->sides[PROFILE_BEFORE] = &before->items[i];
		if (match == FUNCTION_MATCH_NONE)
			continue;
		function->sides[PROFILE_AFTER] = &after->items[match];
		is_listed[1][match] = true;
	}
	for (size_t i = 0; i < after->count; i++)
		if (!is_listed[1][i])
			pair->functions[pair->count++].sides[PROFILE_AFTER] = &after->items[i];
	free(found.matches);
	free(found.into);
	free(found.from);
	free(is_listed[0]);
	free(is_listed[1]);
}

static void set_speedup(struct changed_function *function, double logarithm, double error)
{
	function->speedup = 1 - exp(logarithm);
	function->low = 1 - exp(logarithm + TWO_SIDED * error);
	function->high = 1 - exp(logarithm - TWO_SIDED * error);
	function->p = 2 * normal_probability(-fabs(logarithm) / error);
}

static double cost_ratio(const struct changed_function *function)
{
	const struct function_cost *before = function->sides[PROFILE_BEFORE];
	const struct function_cost *after = function->sides[PROFILE_AFTER];
	bool is_known = before && after && before->per_visit_ns > 0 && after->per_visit_ns > 0;

	return is_known ? after->per_visit_ns / before->per_visit_ns : NAN;
}

static double count_error(const struct changed_function *function)
{
	return hypot(function->sides[PROFILE_BEFORE]->count_error,
		     function->sides[PROFILE_AFTER]->count_error);
}

static void compare_function(const struct profile_pair *pair, struct changed_function *function)
{
	const struct function_cost *before = function->sides[PROFILE_BEFORE];
	const struct function_cost *after = function->sides[PROFILE_AFTER];
	double ratio = cost_ratio(function);

	function->saved_share =
		((before ? before->per_visit_ns : 0) - (after ? after->per_visit_ns : 0)) /
		pair->costs[PROFILE_BEFORE].all_ns;
	function->speedup = function->low = function->high = NAN;
	function->p = 1;
	if (!isfinite(ratio))
		return;
	double drift = hypot(pair->costs[PROFILE_BEFORE].drift_error,
			     pair->costs[PROFILE_AFTER].drift_error);
	set_speedup(function, log(ratio),
		    sqrt(pow(count_error(function), 2) + drift * drift +
			 2 * RUN_ERROR * RUN_ERROR));
}

static int compare_changes(const void *left, const void *right)
{
	const struct changed_function *a = left, *b = right;
	double size_a = fabs(a->saved_share), size_b = fabs(b->saved_share);
	return (size_a < size_b) - (size_a > size_b);
}

static void find_changes(struct profile_pair *pair)
{
	double *p = memory_new(pair->count + 1, sizeof(*p));
	bool *is_rejected = memory_new(pair->count + 1, sizeof(*is_rejected));

	for (size_t i = 0; i < pair->count; i++)
		compare_function(pair, &pair->functions[i]);
	qsort(pair->functions, pair->count, sizeof(*pair->functions), compare_changes);
	for (size_t i = 0; i < pair->count; i++)
		p[i] = pair->functions[i].p;
	false_discovery_reject(p, pair->count, FALSE_DISCOVERY_RATE, is_rejected);
	for (size_t i = 0; i < pair->count; i++) {
		struct changed_function *function = &pair->functions[i];
		function->is_changed =
			is_rejected[i] && fabs(function->saved_share) >= SAVED_SHARE_LEAST;
		pair->changed += function->is_changed;
	}
	free(p);
	free(is_rejected);
}

/* The functions that did not change tell how much slower the machine was. */
static void correct_for_machine(struct profile_pair *pair)
{
	double costs[2] = {0, 0}, squares = 0;

	for (size_t i = 0; i < pair->count; i++) {
		const struct changed_function *function = &pair->functions[i];
		if (function->is_changed || !isfinite(function->speedup))
			continue;
		for (unsigned side = 0; side < 2; side++)
			costs[side] += function->sides[side]->per_visit_ns;
		squares +=
			pow(count_error(function) * function->sides[PROFILE_BEFORE]->per_visit_ns,
			    2);
	}
	pair->other_ratio = pair->other_error = NAN;
	if (!(costs[0] > 0) || !(costs[1] > 0))
		return;
	pair->other_ratio = costs[1] / costs[0];
	/* A sample falls into one place: binomial. */
	double share = fmin(1, costs[0] / pair->costs[PROFILE_BEFORE].all_ns);
	pair->other_error = sqrt(squares * (1 - share)) / costs[0];
	pair->is_corrected = pair->changed &&
			     costs[0] > CONTROL_SHARE_LEAST * pair->costs[PROFILE_BEFORE].all_ns;
	for (size_t i = 0; i < pair->count && pair->is_corrected; i++) {
		struct changed_function *function = &pair->functions[i];
		double p = function->p;
		if (!function->is_changed)
			continue;
		set_speedup(function, log(cost_ratio(function) / pair->other_ratio),
			    sqrt(pow(count_error(function), 2) + pow(pair->other_error, 2) +
				 2 * RUN_ERROR * RUN_ERROR));
		function->p = p;
	}
}

static void predict(struct profile_pair *pair)
{
	struct gain_estimate *gains = memory_new(pair->count + 1, sizeof(*gains));
	double largest = -1, all = 0, unexplained = 0;

	for (size_t i = 0; i < pair->count; i++) {
		struct changed_function *function = &pair->functions[i];
		if (!function->is_changed)
			continue;
		function->predicted = gains[i] = prediction_of(pair, function);
		all += fabs(function->saved_share);
		if (!gains[i].is_known)
			unexplained += fabs(function->saved_share);
		if (gains[i].is_known && fabs(gains[i].gain) > largest) {
			largest = fabs(gains[i].gain);
			pair->main = function;
		}
	}
	pair->predicted = prediction_joined(gains, pair->count);
	if (unexplained > UNEXPLAINED_MOST * all) {
		pair->predicted.is_known = false;
		profile_notes_add_one(
			pair,
			text_format("no experiments before on functions that make %.0f %% of the "
				    "change; choose them with --target, and record again",
				    100 * unexplained / all));
	}
	free(gains);
}

/*
 * Takes the machine's speed off, as far as the time of a visit follows it; the rest of both errors
 * is what differs between the parts of a recording otherwise.
 */
static void correct_period(struct profile_pair *pair, double *ratio, double *error)
{
	struct machine_speed speed;

	if (!pair->is_corrected || !machine_speed_estimate(pair->recordings, pair->points, &speed))
		return;
	double difference = log(pair->other_ratio);
	pair->follow_rate = speed.follow_rate;
	*ratio /= exp(speed.follow_rate * difference);
	pair->measured.control_error = *ratio * speed.follow_rate * pair->other_error;
	*error = hypot(hypot(speed.deviations[PROFILE_BEFORE], speed.deviations[PROFILE_AFTER]),
		       hypot(speed.follow_rate * pair->other_error,
			     speed.follow_error * difference));
}

static void measure(struct profile_pair *pair)
{
	double periods[2], errors[2];

	for (unsigned side = 0; side < 2; side++)
		if (!function_cost_period(pair->recordings[side], pair->points[side],
					  &periods[side], &errors[side]))
			return;
	double ratio = periods[1] / periods[0], error = hypot(errors[0], errors[1]);
	correct_period(pair, &ratio, &error);
	error = sqrt(error * error + 2 * RUN_ERROR * RUN_ERROR);
	pair->measured = (struct gain_estimate){
		.gain = 1 - ratio,
		.low = 1 - ratio * exp(TWO_SIDED * error),
		.high = 1 - ratio * exp(-TWO_SIDED * error),
		.error = ratio * error,
		.control_error = pair->measured.control_error,
		.is_known = true,
	};
}

static enum came_true judge(struct profile_pair *pair)
{
	const struct gain_estimate *predicted = &pair->predicted, *measured = &pair->measured;
	/* Both are without the machine's speed, whose error moves them to the same side. */
	double variance = pow(predicted->error, 2) + pow(measured->error, 2) -
			  2 * predicted->control_error * measured->control_error;
	double half = TWO_SIDED * sqrt(fmax(0, variance));
	double difference = measured->gain - predicted->gain;

	if (!measured->is_known)
		profile_notes_add_one(pair,
				      text_copy("too few windows at speedup 0 in which no other "
						"program had the cores; record on a calm machine, "
						"or longer"));
	if (!predicted->is_known || !measured->is_known || pair->is_void)
		return CANNOT_TELL;
	if (difference + half < 0)
		return FELL_SHORT;
	if (difference - half > 0)
		return BETTER_THAN_PREDICTED;
	if (half <= fmax(INFORMATIVE_LEAST, fabs(predicted->gain) / 2))
		return CAME_TRUE;
	profile_notes_add_one(pair, text_format("the intervals are too wide: the difference of "
						"measured and predicted gain is known to "
						"\xc2\xb1%.1f points; run both longer with "
						"--seconds",
						100 * half));
	return CANNOT_TELL;
}

static enum gate_verdict gate_of(const struct gain_estimate *measured, double gate)
{
	if (gate < 0)
		return GATE_NONE;
	if (!measured->is_known)
		return GATE_UNSURE;
	if (1 - measured->high > 1 + gate)
		return GATE_FAILED;
	return 1 - measured->low <= 1 + gate ? GATE_PASSED : GATE_UNSURE;
}

CLEANUP_DEFINE(profile_pair, struct profile_pair *, profile_pair_free, NULL)

int profile_pair_new(const struct recording *before, const struct recording *after, double gate,
		     const char *point, struct profile_pair **result, struct error *error)
{
	AUTO(profile_pair) struct profile_pair *pair = memory_new(1, sizeof(*pair));
	const struct recording *recordings[] = {before, after};

	memcpy(pair->recordings, recordings, sizeof(recordings));
	for (unsigned side = 0; side < 2; side++)
		if (!recordings[side]->runs.count)
			return error_set(error, -EINVAL, "the profile %s has no runs of lever run",
					 side ? "after" : "before");
	if (choose_points(pair, point, error))
		return error->code;
	for (unsigned side = 0; side < 2; side++) {
		pair->causal[side] = causal_new(recordings[side]);
		pair->costs[side] = function_costs_of(recordings[side], pair->points[side]);
	}
	match_functions(pair);
	if (!is_same_program(pair))
		return error_set(error, -EINVAL,
				 "the profiles are of different programs: they have hardly a "
				 "function in common");
	find_changes(pair);
	correct_for_machine(pair);
	predict(pair);
	measure(pair);
	profile_notes_add(pair);
	pair->verdict = judge(pair);
	pair->gate = gate_of(&pair->measured, gate);
	*result = take(&pair);
	return 0;
}

void profile_pair_free(struct profile_pair *pair)
{
	if (!pair)
		return;
	for (unsigned side = 0; side < 2; side++) {
		causal_free(pair->causal[side]);
		function_costs_release(&pair->costs[side]);
	}
	for (size_t i = 0; i < pair->notes.count; i++)
		free(pair->notes.items[i]);
	array_free(&pair->notes);
	free(pair->functions);
	free(pair);
}
