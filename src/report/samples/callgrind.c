/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callgrind - samples for KCachegrind and callgrind_annotate (valgrind's manual, "Callgrind Format
 * Specification").
 *
 * A cost line for each line of a function, and one for each pair of line and callee. The two events
 * are time on and off CPU. A chain off CPU ends in a function that names the wait. Samples do not
 * count calls: `calls=` has the number of samples. Where a function calls itself, the inclusive
 * cost of a pair counts once for each sample.
 */
#include "report/formats.h"

#include "base/cleanup.h"
#include "base/hash_map.h"
#include "report/display.h"
#include "report/run_totals.h"
#include "report/samples/tables.h"
#include "report/string_table.h"

struct cost {
	uint64_t samples, cpu_ns, waiting_ns;
};

/* Calls of a function by a line. */
struct call {
	size_t frame, callee; /* numbers of a frame, and of a function */
	struct cost cost;
};

struct writer {
	FILE *out;
	struct samples_tables tables;
	struct interner objects, files, functions; /* names in the file */
	struct interner keys;                      /* of functions */
	ARRAY(size_t) function_of;                 /* of each frame */
	ARRAY(const struct samples_frame *) first; /* frame of each function */
	struct cost *own;                          /* of each frame */
	ARRAY(struct call) calls;
	struct hash_map call_of; /* by frame and callee */
};

static void cost_add(struct cost *cost, const struct cost *more)
{
	cost->samples += more->samples;
	cost->cpu_ns += more->cpu_ns;
	cost->waiting_ns += more->waiting_ns;
}

static struct cost cost_of(const struct recording_stack_sample *stack_sample)
{
	bool is_on_cpu = stack_sample->class <= CLASS_KERNEL;

	return (struct cost){
		.samples = stack_sample->samples,
		.cpu_ns = is_on_cpu ? stack_sample->weight_ns : 0,
		.waiting_ns = is_on_cpu ? 0 : stack_sample->weight_ns,
	};
}

static const char *object_of(const struct samples_frame *frame)
{
	return frame->code && frame->code->object               ? frame->code->object :
	       frame->code && frame->code->kind == FRAME_KERNEL ? "[kernel]" :
								  "[unknown]";
}

static const char *file_of(const struct samples_frame *frame)
{
	return frame->code && frame->code->file ? frame->code->file : "???";
}

static void number_functions(struct writer *writer)
{
	for (size_t i = 0; i < writer->tables.frames.count; i++) {
		const struct samples_frame *frame = &writer->tables.frames.items[i];
		AUTO(text) char *name = samples_frame_name(frame);
		AUTO(text)
		char *key = text_format("%s\n%s\n%s", name, file_of(frame), object_of(frame));
		size_t known = writer->keys.items.count;
		size_t number = string_table_add(&writer->keys, key);

		if (number == known)
			*array_add(&writer->first) = frame;
		*array_add(&writer->function_of) = number;
	}
}

static struct call *call_at(struct writer *writer, size_t frame, size_t callee)
{
	uint32_t known = hash_map_get(&writer->call_of, frame, callee);

	if (known == HASH_MAP_NONE) {
		known = (uint32_t)writer->calls.count;
		hash_map_set(&writer->call_of, frame, callee, known);
		*array_add(&writer->calls) = (struct call){.frame = frame, .callee = callee};
	}
	return &writer->calls.items[known];
}

/* Does the pair of this chain's innermost two frames stand further out, too? */
static bool is_repeated(const struct writer *writer, const struct samples_stack *inner)
{
	const struct samples_stack *stacks = writer->tables.stacks.items;
	size_t callee = writer->function_of.items[inner->frame];
	size_t frame = stacks[inner->caller - 1].frame;

	for (inner = &stacks[inner->caller - 1]; inner->caller; inner = &stacks[inner->caller - 1])
		if (writer->function_of.items[inner->frame] == callee &&
		    stacks[inner->caller - 1].frame == frame)
			return true;
	return false;
}

/* From the inner chains to the outer ones, whose numbers are smaller. */
static void add_up(struct writer *writer)
{
	const struct samples_tables *tables = &writer->tables;
	struct cost *inclusive = memory_new(tables->stacks.count + 1, sizeof(*inclusive));

	writer->own = memory_new(tables->frames.count + 1, sizeof(*writer->own));
	for (size_t i = 0; i < tables->entries.count; i++) {
		size_t stack = tables->stack_of.items[i];
		struct cost cost = cost_of(tables->entries.items[i]->stack_sample);

		if (!stack)
			continue;
		cost_add(&inclusive[stack - 1], &cost);
		cost_add(&writer->own[tables->stacks.items[stack - 1].frame], &cost);
	}
	for (size_t i = tables->stacks.count; i--;) {
		const struct samples_stack *stack = &tables->stacks.items[i];

		if (!stack->caller)
			continue;
		cost_add(&inclusive[stack->caller - 1], &inclusive[i]);
		if (!is_repeated(writer, stack))
			cost_add(&call_at(writer, tables->stacks.items[stack->caller - 1].frame,
					  writer->function_of.items[stack->frame])
					  ->cost,
				 &inclusive[i]);
	}
	free(inclusive);
}

/* "fn=(3) main", and "fn=(3)" where the name stood before. */
static void write_name(struct writer *writer, const char *key, struct interner *table,
		       const char *name)
{
	AUTO(text) char *clean = display_clean(name);
	size_t known = table->items.count;
	size_t number = string_table_add(table, clean);

	fprintf(writer->out, "%s=(%zu)%s%s\n", key, number + 1, number == known ? " " : "",
		number == known ? clean : "");
}

/* A function's name is given with its number, as functions of different files may share it. */
static void write_function(struct writer *writer, const char *prefix, size_t function)
{
	const struct samples_frame *frame = writer->first.items[function];
	AUTO(text) char *name = samples_frame_name(frame);
	AUTO(text) char *object = text_format("%sob", prefix);
	AUTO(text) char *file = text_format("%s%s", prefix, *prefix ? "fi" : "fl");
	AUTO(text) char *key = text_format("%sfn", prefix);

	write_name(writer, object, &writer->objects, object_of(frame));
	write_name(writer, file, &writer->files, file_of(frame));
	write_name(writer, key, &writer->functions, name);
}

static unsigned line_of(const struct writer *writer, size_t frame)
{
	const struct recording_frame *code = writer->tables.frames.items[frame].code;

	return code ? code->line : 0;
}

static void write_cost(struct writer *writer, size_t frame, const struct cost *cost)
{
	fprintf(writer->out, "%u %llu %llu\n", line_of(writer, frame),
		(unsigned long long)cost->cpu_ns, (unsigned long long)cost->waiting_ns);
}

static void write_functions(struct writer *writer)
{
	for (size_t i = 0; i < writer->tables.frames.count; i++) {
		if (!writer->own[i].samples)
			continue;
		write_function(writer, "", writer->function_of.items[i]);
		write_cost(writer, i, &writer->own[i]);
	}
	for (size_t i = 0; i < writer->calls.count; i++) {
		const struct call *call = &writer->calls.items[i];

		write_function(writer, "", writer->function_of.items[call->frame]);
		write_function(writer, "c", call->callee);
		fprintf(writer->out, "calls=%llu 0\n", (unsigned long long)call->cost.samples);
		write_cost(writer, call->frame, &call->cost);
	}
}

static void write_head(struct writer *writer, const struct report *report)
{
	struct run_totals totals = run_totals_of(report->recording);
	AUTO(text) char *command = display_command(totals.last ? totals.last->command : NULL);

	fprintf(writer->out,
		"# callgrind format\nversion: 1\ncreator: lever %s\ncmd: %s\npositions: line\n"
		"event: Cpu : Time on CPU in ns\nevent: Waiting : Time off CPU in ns\n"
		"events: Cpu Waiting\n\n",
		totals.last && totals.last->version ? totals.last->version : "?",
		*command ? command : "?");
}

void report_samples_callgrind(FILE *out, const struct report *report)
{
	struct writer writer = {.out = out,
				.tables = samples_tables_of(report->samples, NULL, true)};
	struct cost all = {0};

	number_functions(&writer);
	add_up(&writer);
	write_head(&writer, report);
	write_functions(&writer);
	for (size_t i = 0; i < writer.tables.frames.count; i++)
		cost_add(&all, &writer.own[i]);
	fprintf(out, "\ntotals: %llu %llu\n", (unsigned long long)all.cpu_ns,
		(unsigned long long)all.waiting_ns);
	interner_clear(&writer.objects);
	interner_clear(&writer.files);
	interner_clear(&writer.functions);
	interner_clear(&writer.keys);
	array_free(&writer.function_of);
	array_free(&writer.first);
	array_free(&writer.calls);
	hash_map_clear(&writer.call_of);
	free(writer.own);
	samples_tables_free(&writer.tables);
}
