/* SPDX-License-Identifier: BSD-2-Clause */
/* samples_pair - matches functions, and tests which changed. */
#include "analyze/diff/samples_pair.h"

#include "analyze/diff/content_match.h"
#include "analyze/diff/function_match.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "base/text.h"
#include "stats/distribution.h"
#include "stats/false_discovery.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define FALSE_DISCOVERY_RATE 0.05
#define SHARE_LEAST 0.005 /* of all time before: smaller functions are not tested */
/* Standard error of the logarithm of a cost by what differs between runs of the same program. */
#define RUN_ERROR 0.01
#define SAMPLES_LEAST 5 /* on both sides, for a ratio with an interval */
#define RUNS_LEAST 3    /* that tell how runs differ */
#define LOST_SHARE_MOST 0.01
#define NS_PER_S 1e9

/* ---- one cost before and after ---- */

struct costs {
	const struct samples_cost *sides[2];
	double means[2]; /* of a run or second */
};

/* The mean weight of a sample. */
static double sample_ns(const struct costs *costs)
{
	double weight_ns = 0, samples = 0;

	for (unsigned side = 0; side < 2; side++) {
		weight_ns += costs->sides[side] ? costs->sides[side]->weight_ns : 0;
		samples += costs->sides[side] ? (double)costs->sides[side]->samples : 0;
	}
	return samples > 0 ? weight_ns / samples : 0;
}

/* Variance of the logarithm of after / before by how runs differ, taken as alike on both sides. */
static double run_variance(const struct samples_pair *pair, const struct costs *costs,
			   double *freedom)
{
	double squares = 0, inverse = 0;

	*freedom = -2;
	for (unsigned side = 0; side < 2; side++) {
		size_t runs = pair->costs[side].runs;
		for (size_t i = 0; i < runs; i++)
			squares += pow(costs->sides[side]->by_run[i] / costs->means[side] - 1, 2);
		*freedom += (double)runs;
		inverse += 1 / (double)runs;
	}
	return squares / *freedom * inverse;
}

/* The same by the number of samples. */
static double count_variance(const struct costs *costs)
{
	double variance = 0;

	for (unsigned side = 0; side < 2; side++)
		variance += costs->sides[side]->variance / pow(costs->sides[side]->weight_ns, 2);
	return variance;
}

static void judge_ratio(const struct samples_pair *pair, const struct costs *costs,
			struct samples_change *change)
{
	double logarithm = log(costs->means[PROFILE_AFTER] / costs->means[PROFILE_BEFORE]);
	double freedom = INFINITY, variance = count_variance(costs);

	/* Runs that happen to agree: no less than the samples count for. */
	if (pair->has_run_errors)
		variance = fmax(variance, run_variance(pair, costs, &freedom));
	else
		variance += 2 * RUN_ERROR * RUN_ERROR;
	double error = sqrt(variance), half = student_quantile(0.975, freedom) * error;
	change->p = 2 * student_probability(-fabs(logarithm) / error, freedom);
	change->change = exp(logarithm) - 1;
	change->low = exp(logarithm - half) - 1;
	change->high = exp(logarithm + half) - 1;
}

/* Where one side has hardly a sample: each side's count may be one more or less by chance. */
static void judge_difference(const struct samples_pair *pair, const struct costs *costs,
			     struct samples_change *change)
{
	double difference = costs->means[PROFILE_AFTER] - costs->means[PROFILE_BEFORE];
	double variance = 0;

	for (unsigned side = 0; side < 2; side++) {
		const struct samples_cost *cost = costs->sides[side];
		variance += ((cost ? cost->variance : 0) + pow(sample_ns(costs), 2)) /
			    pow(pair->units[side], 2);
	}
	change->p = variance > 0 ? 2 * normal_probability(-fabs(difference) / sqrt(variance)) : 1;
}

static struct samples_change change_of(const struct samples_pair *pair,
				       const struct samples_cost *before,
				       const struct samples_cost *after)
{
	struct costs costs = {.sides = {before, after}};
	bool has_ratio = before && after && before->samples >= SAMPLES_LEAST &&
			 after->samples >= SAMPLES_LEAST;
	struct samples_change change = {.change = NAN, .low = NAN, .high = NAN};

	for (unsigned side = 0; side < 2; side++)
		change.unit_ns[side] = costs.means[side] =
			costs.sides[side] ? costs.sides[side]->weight_ns / pair->units[side] : 0;
	if (has_ratio)
		judge_ratio(pair, &costs, &change);
	else
		judge_difference(pair, &costs, &change);
	return change;
}

/* ---- functions ---- */

/*
 * Code without a name has that of its binary, where that is known. A frame's line is where a sample
 * was, which tells no place of its function.
 */
static struct function_name name_of(const struct recording_frame *frame)
{
	const char *object = frame ? frame->object : NULL;
	const char *function = frame ? frame->function : NULL;

	return (struct function_name){
		.name = function || !object ? function : path_base(object),
		.file = frame ? frame->file : NULL,
	};
}

/* The functions of one side that are on CPU, or those that wait. */
struct side {
	struct samples_costs *costs;
	const struct samples *samples;
	size_t *numbers; /* of a cost among them; FUNCTION_MATCH_NONE: of the other kind */
	size_t *items;   /* the cost of a number */
	size_t count;
	struct function_name *names;
	struct content_line *lines;
	bool *is_listed;
};

static const struct recording_frame *frame_of(const struct samples_entry *entry)
{
	return entry->user ? entry->user : entry->kernel;
}

static struct side side_of(struct samples_pair *pair, unsigned number, bool is_waiting)
{
	struct samples_costs *costs = &pair->costs[number];
	struct side side = {.costs = costs, .samples = pair->samples[number]};

	side.numbers = memory_new(costs->count + 1, sizeof(size_t));
	side.items = memory_new(costs->count + 1, sizeof(size_t));
	side.names = memory_new(costs->count + 1, sizeof(*side.names));
	side.is_listed = memory_new(costs->count + 1, sizeof(bool));
	for (size_t i = 0; i < costs->count; i++) {
		side.numbers[i] = FUNCTION_MATCH_NONE;
		if (costs->items[i].is_waiting != is_waiting)
			continue;
		side.names[side.count] = name_of(costs->items[i].frame);
		side.numbers[i] = side.count;
		side.items[side.count++] = i;
	}
	return side;
}

static void side_free(struct side *side)
{
	free(side->numbers);
	free(side->items);
	free(side->names);
	free(side->lines);
	free(side->is_listed);
}

static struct samples_cost *cost_of(const struct side *side, size_t number)
{
	return &side->costs->items[side->items[number]];
}

/* What the sampled source lines say. */
static struct content_side lines_of(struct side *side)
{
	struct content_side lines = {.function_count = side->count};

	side->lines = memory_new(side->samples->count + 1, sizeof(*side->lines));
	for (size_t i = 0; i < side->samples->count; i++) {
		const struct samples_entry *entry = &side->samples->entries[i];
		const struct recording_frame *frame = frame_of(entry);
		size_t number = side->numbers[side->costs->of_entry[i]];
		if (frame && number != FUNCTION_MATCH_NONE)
			side->lines[lines.line_count++] =
				(struct content_line){frame->content, number,
						      (double)entry->stack_sample->weight_ns};
	}
	lines.lines = side->lines;
	return lines;
}

static void add_function(struct samples_pair *pair, const struct samples_cost *before,
			 const struct samples_cost *after)
{
	pair->functions[pair->count++] = (struct samples_function){
		.sides = {before, after},
		.change = change_of(pair, before, after),
	};
}

/* Costs of functions that are one on the other side become one. */
static void join_costs(struct side sides[2], const size_t *matches, const size_t *into,
		       const size_t *from)
{
	for (size_t i = 0; i < sides[0].count; i++)
		for (size_t j = 0; into[i] != FUNCTION_MATCH_NONE && j < sides[0].count; j++)
			if (matches[j] == into[i]) {
				samples_cost_join(cost_of(&sides[0], j), cost_of(&sides[0], i),
						  sides[0].costs->runs);
				sides[0].is_listed[i] = true;
				break;
			}
	for (size_t i = 0; i < sides[1].count; i++) {
		size_t whole = from[i] == FUNCTION_MATCH_NONE ? from[i] : matches[from[i]];
		if (whole == FUNCTION_MATCH_NONE)
			continue;
		samples_cost_join(cost_of(&sides[1], whole), cost_of(&sides[1], i),
				  sides[1].costs->runs);
		sides[1].is_listed[i] = true;
	}
}

static void match_kind(struct samples_pair *pair, bool is_waiting)
{
	struct side sides[2] = {side_of(pair, 0, is_waiting), side_of(pair, 1, is_waiting)};
	const struct content_sides lines = {lines_of(&sides[0]), lines_of(&sides[1])};
	size_t *matches = memory_new(sides[0].count + 1, sizeof(size_t));
	size_t *into = memory_new(sides[0].count + 1, sizeof(size_t));
	size_t *from = memory_new(sides[1].count + 1, sizeof(size_t));

	function_match(sides[0].names, sides[1].names, &lines, matches);
	content_match_joined(&lines, matches, into, from);
	join_costs(sides, matches, into, from);
	for (size_t i = 0; i < sides[0].count; i++) {
		const struct samples_cost *after = NULL;
		if (sides[0].is_listed[i])
			continue;
		if (matches[i] != FUNCTION_MATCH_NONE) {
			sides[1].is_listed[matches[i]] = true;
			after = cost_of(&sides[1], matches[i]);
		}
		add_function(pair, cost_of(&sides[0], i), after);
	}
	for (size_t i = 0; i < sides[1].count; i++)
		if (!sides[1].is_listed[i])
			add_function(pair, NULL, cost_of(&sides[1], i));
	side_free(&sides[0]);
	side_free(&sides[1]);
	free(matches);
	free(into);
	free(from);
}

const struct samples_cost *samples_function_either(const struct samples_function *function)
{
	return function->sides[PROFILE_AFTER] ? function->sides[PROFILE_AFTER] :
						function->sides[PROFILE_BEFORE];
}

static double moved_ns(const struct samples_function *function)
{
	return fabs(function->change.unit_ns[PROFILE_AFTER] -
		    function->change.unit_ns[PROFILE_BEFORE]);
}

static int compare_moves(const void *left, const void *right)
{
	double a = moved_ns(left), b = moved_ns(right);
	return (a < b) - (a > b);
}

/* By both sides together, so that the choice tells nothing of their difference. */
static bool is_large(const struct samples_function *function, double least_ns)
{
	return function->change.unit_ns[PROFILE_BEFORE] + function->change.unit_ns[PROFILE_AFTER] >=
	       2 * least_ns;
}

static void find_changes(struct samples_pair *pair)
{
	double *p = memory_new(pair->count + 1, sizeof(*p));
	bool *is_rejected = memory_new(pair->count + 1, sizeof(*is_rejected));
	double all_ns = pair->on_cpu.unit_ns[0] + pair->waiting.unit_ns[0];
	size_t tested = 0;

	qsort(pair->functions, pair->count, sizeof(*pair->functions), compare_moves);
	/* Those with too little time to matter are no hypotheses: they come last. */
	for (size_t i = 0; i < pair->count; i++)
		if (is_large(&pair->functions[i], SHARE_LEAST * all_ns))
			p[tested++] = pair->functions[i].change.p;
	false_discovery_reject(p, tested, FALSE_DISCOVERY_RATE, is_rejected);
	for (size_t i = 0, test = 0; i < pair->count; i++) {
		struct samples_function *function = &pair->functions[i];
		if (is_large(function, SHARE_LEAST * all_ns))
			function->change.is_sure = is_rejected[test++];
		pair->changed += function->change.is_sure;
	}
	free(p);
	free(is_rejected);
}

static struct samples_change change_of_all(const struct samples_pair *pair, bool is_waiting)
{
	struct samples_cost sums[2];

	for (unsigned side = 0; side < 2; side++)
		sums[side] = samples_costs_sum(&pair->costs[side], is_waiting);
	struct samples_change change = change_of(pair, &sums[0], &sums[1]);
	change.is_sure = change.p < FALSE_DISCOVERY_RATE;
	free(sums[0].by_run);
	free(sums[1].by_run);
	return change;
}

/* Half of the interval of the time on CPU, which runs and not samples make so wide. */
static double run_error_of(const struct samples_pair *pair)
{
	double assumed = sqrt(2) * RUN_ERROR;

	if (!pair->has_run_errors || !isfinite(pair->on_cpu.high))
		return assumed;
	return log((1 + pair->on_cpu.high) / (1 + pair->on_cpu.low)) / 2 / normal_quantile(0.975);
}

static enum gate_verdict gate_of(const struct samples_change *on_cpu, double gate)
{
	if (gate < 0)
		return GATE_NONE;
	if (!isfinite(on_cpu->high))
		return GATE_UNSURE;
	if (on_cpu->low > gate)
		return GATE_FAILED;
	return on_cpu->high <= gate ? GATE_PASSED : GATE_UNSURE;
}

/* ---- what else differs ---- */

static const struct recording_run *last_run(const struct samples_pair *pair, unsigned side)
{
	const struct recording *recording = pair->recordings[side];
	return &recording->runs.items[recording->runs.count - 1];
}

static void note_difference(struct samples_pair *pair, const char *what, const char *before,
			    const char *after)
{
	if (before && after && strcmp(before, after))
		*array_add(&pair->notes) =
			text_format("%s differs: %s before, %s after", what, before, after);
}

static void note_lost(struct samples_pair *pair, unsigned side)
{
	uint64_t lost = 0, samples = 0;

	for (size_t i = 0; i < pair->recordings[side]->runs.count; i++) {
		lost += pair->recordings[side]->runs.items[i].lost;
		samples += pair->recordings[side]->runs.items[i].samples;
	}
	if ((double)lost > LOST_SHARE_MOST * (double)(samples + lost))
		*array_add(&pair->notes) =
			text_format("%.1f %% of the samples %s were lost: costs are too low",
				    100 * (double)lost / (double)(samples + lost),
				    side ? "after" : "before");
}

static void add_commits(struct samples_pair *pair, const struct recording_run *before,
			const struct recording_run *after)
{
	if (before->commit && after->commit && !text_equals(before->commit, after->commit))
		*array_add(&pair->notes) =
			text_format("the commit differs: %.12s before, %.12s after", before->commit,
				    after->commit);
}

/* The command without its first word, which is the program. */
static const char *arguments_of(const struct recording_run *run)
{
	const char *comma = run->command ? strchr(run->command, ',') : NULL;
	return comma ? comma : "";
}

static const char *function_of(const struct samples_cost *cost)
{
	return cost->frame && cost->frame->function ? cost->frame->function : "code without a name";
}

/* Once for code that was on CPU and waited. */
static void add_note_once(struct samples_pair *pair, char *text)
{
	AUTO(text) char *note = text;

	for (size_t i = 0; i < pair->notes.count; i++)
		if (!strcmp(pair->notes.items[i], note))
			return;
	*array_add(&pair->notes) = take(&note);
}

static void add_joined(struct samples_pair *pair, const struct samples_function *function)
{
	for (unsigned side = 0; side < 2; side++)
		for (size_t i = 0; i < function->sides[side]->joined.count; i++)
			add_note_once(
				pair,
				text_format("the code of %s %s in %s %s; their times %s are taken "
					    "together",
					    function->sides[side]->joined.items[i],
					    side ? "was" : "is",
					    function_of(function->sides[!side]),
					    side ? "before" : "after", side ? "after" : "before"));
}

/* Of functions with enough time: other names, and code that is in others. */
static void add_moves(struct samples_pair *pair)
{
	double least_ns = SHARE_LEAST * (pair->on_cpu.unit_ns[0] + pair->waiting.unit_ns[0]);

	for (size_t i = 0; i < pair->count; i++) {
		const struct samples_function *function = &pair->functions[i];
		if (!function->sides[0] || !function->sides[1] || !is_large(function, least_ns))
			continue;
		struct function_name names[] = {name_of(function->sides[0]->frame),
						name_of(function->sides[1]->frame)};
		if (function_match_is_renamed(&names[0], &names[1]))
			add_note_once(pair, text_format("%s has another name after: %s",
							names[0].name, names[1].name));
		add_joined(pair, function);
	}
}

static void add_notes(struct samples_pair *pair)
{
	const struct recording_run *before = last_run(pair, PROFILE_BEFORE);
	const struct recording_run *after = last_run(pair, PROFILE_AFTER);

	note_difference(pair, "the machine", before->machine, after->machine);
	add_commits(pair, before, after);
	note_difference(pair, "the kernel", before->kernel, after->kernel);
	if (strcmp(arguments_of(before), arguments_of(after)))
		note_difference(pair, "the command", before->command, after->command);
	note_lost(pair, PROFILE_BEFORE);
	note_lost(pair, PROFILE_AFTER);
	add_moves(pair);
	if (!pair->has_run_errors)
		*array_add(&pair->notes) =
			text_format("how runs differ is taken as 1 %%; with %d runs in each file "
				    "it is measured: call lever record again with the same -o",
				    RUNS_LEAST);
}

/* ---- the pair ---- */

/* lever started the programs and saw them end. */
static bool ran_whole(const struct recording *recording)
{
	for (size_t i = 0; i < recording->runs.count; i++)
		if (!recording->runs.items[i].command || recording->runs.items[i].exit_status < 0)
			return false;
	return true;
}

static void set_units(struct samples_pair *pair)
{
	pair->is_per_second = !ran_whole(pair->recordings[0]) || !ran_whole(pair->recordings[1]);
	pair->has_run_errors = !pair->is_per_second && pair->costs[0].runs >= RUNS_LEAST &&
			       pair->costs[1].runs >= RUNS_LEAST;
	for (unsigned side = 0; side < 2; side++) {
		const struct recording *recording = pair->recordings[side];
		pair->units[side] = (double)recording->runs.count;
		if (!pair->is_per_second)
			continue;
		pair->units[side] = 0;
		for (size_t i = 0; i < recording->runs.count; i++)
			pair->units[side] += (double)recording->runs.items[i].wall_ns / NS_PER_S;
	}
}

static bool is_same_program(const struct samples_pair *pair)
{
	AUTO(text) char *before = profile_pair_program(pair->recordings[PROFILE_BEFORE]);
	AUTO(text) char *after = profile_pair_program(pair->recordings[PROFILE_AFTER]);
	bool has_one_name = before && after && text_equals(before, after);
	struct profile_pair_common common = {0};
	size_t pairs = 0;

	for (size_t i = 0; i < pair->count; i++) {
		const struct samples_cost *const *sides = pair->functions[i].sides;
		bool is_pair = sides[0] && sides[1];
		struct function_name names[] = {name_of(sides[0] ? sides[0]->frame : NULL),
						name_of(sides[1] ? sides[1]->frame : NULL)};
		bool is_common = is_pair &&
				 (has_one_name || !function_match_is_renamed(&names[0], &names[1]));
		pairs += is_pair;
		for (unsigned side = 0; side < 2; side++) {
			const struct recording_frame *frame =
				sides[side] ? sides[side]->frame : NULL;
			if (!frame || frame->kind != FRAME_USER || sides[side]->is_waiting)
				continue;
			bool has_name = profile_pair_has_name(frame->function);
			common.all[side] += sides[side]->weight_ns;
			common.named[side] += has_name ? sides[side]->weight_ns : 0;
			common.common[side] += has_name && is_common ? sides[side]->weight_ns : 0;
		}
	}
	if (!before || !after)
		return pairs;
	return pairs && profile_pair_is_common(&common, has_one_name);
}

CLEANUP_DEFINE(samples_pair, struct samples_pair *, samples_pair_free, NULL)

int samples_pair_new(const struct recording *before, const struct recording *after, double gate,
		     struct samples_pair **result, struct error *error)
{
	const struct samples_filter all = {.classes = SAMPLES_ALL_CLASSES};
	const struct recording *recordings[] = {before, after};
	AUTO(samples_pair) struct samples_pair *pair = memory_new(1, sizeof(*pair));

	for (unsigned side = 0; side < 2; side++) {
		pair->recordings[side] = recordings[side];
		pair->samples[side] = samples_new(recordings[side], &all);
		pair->costs[side] = samples_costs_of(pair->samples[side]);
		if (!pair->costs[side].count)
			return error_set(error, -EINVAL,
					 "the recording %s the change holds no sample",
					 side ? "after" : "before");
	}
	set_units(pair);
	for (unsigned side = 0; side < 2; side++)
		if (!(pair->units[side] > 0))
			return error_set(error, -EINVAL,
					 "the recording %s the change was cut short: it has no "
					 "duration",
					 side ? "after" : "before");
	pair->functions = memory_new(pair->costs[0].count + pair->costs[1].count + 1,
				     sizeof(*pair->functions));
	match_kind(pair, false);
	match_kind(pair, true);
	if (!is_same_program(pair))
		return error_set(error, -EINVAL,
				 "the recordings are of different programs: they have hardly a "
				 "function in common");
	pair->on_cpu = change_of_all(pair, false);
	pair->waiting = change_of_all(pair, true);
	pair->run_error = run_error_of(pair);
	pair->gate = gate_of(&pair->on_cpu, gate);
	find_changes(pair);
	add_notes(pair);
	*result = take(&pair);
	return 0;
}

void samples_pair_free(struct samples_pair *pair)
{
	if (!pair)
		return;
	for (unsigned side = 0; side < 2; side++) {
		samples_costs_release(&pair->costs[side]);
		samples_free(pair->samples[side]);
	}
	for (size_t i = 0; i < pair->notes.count; i++)
		free(pair->notes.items[i]);
	array_free(&pair->notes);
	free(pair->functions);
	free(pair);
}
