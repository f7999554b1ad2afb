/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_script - a sample: a line of its thread and event, frames from within, and an empty line. */
#include "record/perf_script.h"

#include "base/cleanup.h"
#include "base/hash_map.h"
#include "base/interner.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define UNKNOWN "[unknown]"

/* How a sample's period is to be read. */
enum weight { WEIGHT_NS, WEIGHT_CYCLES, WEIGHT_OFF_CPU, WEIGHT_NONE };

struct aggregate {
	struct recording_stack_sample row;
	uint64_t cycles; /* its periods; the weight follows at the end */
};

struct import {
	struct profile *profile;
	struct recording_run run;
	struct interner texts;
	struct hash_map frames, stacks, threads, aggregates;
	ARRAY(int64_t) frame_ids;
	ARRAY(int64_t) stack_ids;
	ARRAY(struct recording_thread) rows;
	ARRAY(struct aggregate) sums;
	ARRAY(uint64_t) gaps;
	ARRAY(double)
	last_seconds; /* by core, or by thread where no core is known; NAN: none yet */
	ARRAY(int64_t) frames_of_sample;
	struct perf_script_counts *counts;
	uint64_t cycles, cycle_samples;
	double first, last; /* s, of all samples */
	/* The sample that is being read. */
	bool is_open, is_left_out, is_in_kernel;
	uint32_t thread;
	enum weight weight;
	uint64_t period;
};

/* ---- one line ---- */

struct head {
	char *comm, *event, *rest; /* what stands behind the event: a frame, or nothing */
	uint64_t pid, tid, period;
	unsigned cpu;
	bool has_cpu, has_period;
	double seconds;
};

/* The word that ends before `end`, cut off there; NULL if none is left. */
static char *word_before(char *line, char **end)
{
	char *stop = *end;
	while (stop > line && isspace((unsigned char)stop[-1]))
		stop--;
	char *start = stop;
	while (start > line && !isspace((unsigned char)start[-1]))
		start--;
	*stop = 0;
	*end = start;
	return start < stop ? start : NULL;
}

/* "12.345678:"; perf prints it in every format. */
static char *find_time(char *line, double *seconds)
{
	for (char *at = line; (at = strpbrk(at, "0123456789")); at += strspn(at, "0123456789.")) {
		size_t length = strspn(at, "0123456789.");
		char *rest;
		if (at == line || !isspace((unsigned char)at[-1]) || at[length] != ':' ||
		    !memchr(at, '.', length))
			continue;
		*seconds = strtod(at, &rest);
		if (rest == at + length)
			return at;
	}
	return NULL;
}

static bool read_ids(char *word, struct head *head)
{
	char *slash = strchr(word, '/');

	if (slash)
		*slash = 0;
	if (!text_to_unsigned(slash ? slash + 1 : word, &head->tid))
		return false;
	if (!slash || !text_to_unsigned(word, &head->pid))
		head->pid = head->tid;
	return true;
}

/* "comm  12/34 [001] 5.678901:  1000 cpu-clock:u: "; changes the line. */
static bool read_head(char *line, struct head *head)
{
	char *time = find_time(line, &head->seconds), *end = time;
	char *word = time ? word_before(line, &end) : NULL;
	uint64_t number;

	if (!word)
		return false;
	size_t length = strlen(word);
	if (word[0] == '[' && word[length - 1] == ']') {
		word[length - 1] = 0;
		if (!text_to_unsigned(word + 1, &number) || number > UINT16_MAX)
			return false;
		head->cpu = (unsigned)number;
		head->has_cpu = true;
		word = word_before(line, &end);
	}
	if (!word || !read_ids(word, head))
		return false;
	while (end > line && isspace((unsigned char)end[-1]))
		*--end = 0;
	head->comm = line + strspn(line, " \t");
	char *rest = strchr(time, ':') + 1;
	rest += strspn(rest, " \t");
	length = strcspn(rest, " \t\n");
	char *event = rest;
	if (isdigit((unsigned char)*rest) && strspn(rest, "0123456789") == length) {
		head->has_period = true;
		head->period = strtoull(rest, &event, 10);
		event += strspn(event, " \t");
	}
	head->event = event;
	length = strcspn(event, " \t\n");
	head->rest = event + length + (event[length] != 0);
	event[length] = 0;
	if (length && event[length - 1] == ':')
		event[length - 1] = 0;
	return *head->comm && *head->event;
}

/* The event without modifiers: "cycles" of "cpu_core/cycles/P", "cpu-clock" of "cpu-clock:ppp". */
static bool event_is(const char *event, const char *name)
{
	const char *slash = strchr(event, '/');
	const char *bare = slash && slash[1] && slash[1] != ':' ? slash + 1 : event;
	size_t length = strlen(name);

	return !strncmp(bare, name, length) && (!bare[length] || strchr(":/", bare[length]));
}

static enum weight weight_of(const char *event)
{
	if (event_is(event, "cpu-clock") || event_is(event, "task-clock"))
		return WEIGHT_NS;
	if (event_is(event, "offcpu-time"))
		return WEIGHT_OFF_CPU;
	return event_is(event, "cycles") || event_is(event, "cpu-cycles") ? WEIGHT_CYCLES :
									    WEIGHT_NONE;
}

/* ---- rows ---- */

static bool is_kernel(const char *object)
{
	return object[0] == '[' && strcmp(object, "[vdso]") != 0 && strcmp(object, UNKNOWN) != 0 &&
	       strcmp(object, "[heap]") != 0 && strcmp(object, "[stack]") != 0;
}

/* What stands in "(/usr/bin/x)" or "([kernel.kallsyms])"; the name before may hold brackets. */
static char *object_in(char *frame)
{
	char *found = NULL;

	for (char *at = strchr(frame, '('); at; at = strchr(at + 1, '('))
		if ((at == frame || at[-1] == ' ') && (strchr("/[", at[1]) || !found))
			found = at + 1;
	return found;
}

/* "  7f12 name+0x34 (/usr/bin/x)": the frame's id joins those of the sample. */
static int read_frame(struct import *import, char *line, struct error *error)
{
	char *end = line + strcspn(line, "\n"), *name = line + strspn(line, " \t");
	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	*end = 0;
	name += strcspn(name, " \t");
	name += strspn(name, " \t");
	char *object = object_in(name);
	if (object) {
		end[-1] = 0;
		object[-1] = 0;
		if (object - 1 > name)
			object[-2] = 0;
	} else {
		object = end;
	}
	char *offset = strstr(name, "+0x");
	for (char *next = offset; next; next = strstr(next + 1, "+0x"))
		offset = next;
	if (offset)
		*offset = 0;
	struct recording_frame row = {
		.kind = is_kernel(object) ? FRAME_KERNEL : FRAME_USER,
		.function = *name && strcmp(name, UNKNOWN) != 0 ? name : NULL,
		.object = *object && strcmp(object, UNKNOWN) != 0 &&
					  strcmp(object, "inlined") != 0 &&
					  strcmp(object, "[kernel.kallsyms]") != 0 ?
				  object :
				  NULL,
	};
	uint32_t function = interner_add(&import->texts, row.function);
	uint32_t file = interner_add(&import->texts, row.object) << 1 | row.kind;
	uint32_t number = hash_map_get(&import->frames, function, file);
	if (number == HASH_MAP_NONE) {
		int code = profile_add_frame(import->profile, &row, error);
		if (code)
			return code;
		number = (uint32_t)import->frame_ids.count;
		*array_add(&import->frame_ids) = row.id;
		hash_map_set(&import->frames, function, file, number);
	}
	if (!import->frames_of_sample.count)
		import->is_in_kernel = row.kind == FRAME_KERNEL;
	*array_add(&import->frames_of_sample) = import->frame_ids.items[number];
	return 0;
}

static int add_stack(struct import *import, int64_t *stack, struct error *error)
{
	*stack = 0;
	for (size_t i = import->frames_of_sample.count; i-- > 0;) {
		struct recording_stack row = {.caller_id = (uint64_t)*stack,
					      .frame_id = import->frames_of_sample.items[i]};
		uint32_t number =
			hash_map_get(&import->stacks, row.caller_id, (uint64_t)row.frame_id);
		if (number == HASH_MAP_NONE) {
			int code = profile_add_stack(import->profile, &row, error);
			if (code)
				return code;
			number = (uint32_t)import->stack_ids.count;
			*array_add(&import->stack_ids) = row.id;
			hash_map_set(&import->stacks, row.caller_id, (uint64_t)row.frame_id,
				     number);
		}
		*stack = import->stack_ids.items[number];
	}
	return 0;
}

static int add_thread(struct import *import, const struct head *head, struct error *error)
{
	uint64_t which = head->pid << 32 | head->tid;
	uint32_t name = interner_add(&import->texts, head->comm);

	import->thread = hash_map_get(&import->threads, which, name);
	if (import->thread != HASH_MAP_NONE)
		return 0;
	struct recording_thread row = {.run_id = import->run.id,
				       .pid = (unsigned)head->pid,
				       .tid = (unsigned)head->tid,
				       .command = head->comm};
	int code = profile_add_thread(import->profile, &row, error);
	row.command = NULL;
	import->thread = (uint32_t)import->rows.count;
	*array_add(&import->rows) = row;
	hash_map_set(&import->threads, which, name, import->thread);
	return code;
}

static enum sample_class class_of(const struct import *import)
{
	if (import->weight == WEIGHT_OFF_CPU)
		return CLASS_OTHER;
	return import->is_in_kernel ? CLASS_KERNEL : CLASS_USER;
}

/* The sample's frames are complete. */
static int end_sample(struct import *import, struct error *error)
{
	int64_t stack;

	if (!import->is_open)
		return 0;
	import->is_open = false;
	int code = add_stack(import, &stack, error);
	enum sample_class class = class_of(import);
	uint64_t which = (uint64_t)import->thread << 8 | class;
	uint32_t number = hash_map_get(&import->aggregates, (uint64_t)stack, which);
	if (number == HASH_MAP_NONE) {
		number = (uint32_t)import->sums.count;
		*array_add(&import->sums) = (struct aggregate){
			.row = {.run_id = import->run.id,
				.thread_id = import->rows.items[import->thread].id,
				.stack_id = (uint64_t)stack,
				.class = class}};
		hash_map_set(&import->aggregates, (uint64_t)stack, which, number);
	}
	struct aggregate *sum = &import->sums.items[number];
	sum->row.samples++;
	if (import->weight == WEIGHT_CYCLES)
		sum->cycles += import->period;
	else
		sum->row.weight_ns += import->period;
	import->frames_of_sample.count = 0;
	return code;
}

static void note_gap(struct import *import, const struct head *head)
{
	uint32_t clock = head->has_cpu ? head->cpu : import->thread;
	while (import->last_seconds.count <= clock)
		*array_add(&import->last_seconds) = NAN;
	double *last = &import->last_seconds.items[clock];
	if (head->seconds > *last)
		*array_add(&import->gaps) = (uint64_t)llround((head->seconds - *last) * 1e9);
	*last = head->seconds;
	if (!import->first || head->seconds < import->first)
		import->first = head->seconds;
	if (head->seconds > import->last)
		import->last = head->seconds;
}

static int begin_sample(struct import *import, const struct head *head, struct error *error)
{
	enum weight weight = weight_of(head->event);
	struct perf_script_counts *counts = import->counts;

	if (weight == WEIGHT_NONE) {
		if (!counts->left_out++)
			counts->left_out_event = text_copy(head->event);
		return 0;
	}
	int code = add_thread(import, head, error);
	import->weight = weight;
	import->period = head->has_period ? head->period : 1;
	if (weight != WEIGHT_CYCLES && !head->has_period)
		return error_set(
			error, -EINVAL,
			"the samples of %s have no period; print them by perf script -F +period",
			head->event);
	import->is_open = true;
	import->is_in_kernel = false;
	counts->samples++;
	if (weight == WEIGHT_CYCLES) {
		import->cycles += import->period;
		import->cycle_samples++;
	}
	note_gap(import, head);
	return code;
}

/* ---- the whole text ---- */

static bool set_from_header(char **field, const char *line, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(line, name, length) != 0)
		return false;
	const char *value = strstr(line, ": ");
	if (value && !*field)
		*field = text_format("%.*s", (int)strcspn(value + 2, "\n"), value + 2);
	return true;
}

static void read_header(struct import *import, const char *line)
{
	struct recording_run *run = &import->run;
	char *command = NULL;

	if (set_from_header(&run->host, line, "# hostname") ||
	    set_from_header(&run->kernel, line, "# os release") ||
	    set_from_header(&run->machine, line, "# cpudesc"))
		return;
	if (set_from_header(&command, line, "# cmdline") && command && !run->command) {
		char *words[] = {command, NULL};
		run->command = recording_command(words);
	}
	free(command);
}

static bool is_blank(const char *line)
{
	return !line[strspn(line, " \t\n")];
}

static int read_line(struct import *import, char *line, size_t number, struct error *error)
{
	struct head head = {0};
	double seconds;

	if (line[0] == '#') {
		read_header(import, line);
		return 0;
	}
	if (is_blank(line)) {
		import->is_left_out = false;
		return end_sample(import, error);
	}
	if (isspace((unsigned char)line[0]) && !find_time(line, &seconds) &&
	    (import->is_open || import->is_left_out))
		return import->is_open ? read_frame(import, line, error) : 0;
	int code = end_sample(import, error);
	if (!code && !read_head(line, &head))
		return error_set(error, -EINVAL,
				 "line %zu is not what perf script prints; give perf.data, or "
				 "its text by perf script",
				 number);
	code = code ? code : begin_sample(import, &head, error);
	import->is_left_out = !import->is_open;
	if (!code && import->is_open && !is_blank(head.rest))
		code = read_frame(import, head.rest, error);
	return code;
}

static int by_value(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* Cycles become time; then all sums are written. */
static int write_sums(struct import *import, struct error *error)
{
	double ns_per_cycle = 0;
	int code = 0;

	if (import->gaps.count)
		qsort(import->gaps.items, import->gaps.count, sizeof(*import->gaps.items),
		      by_value);
	if (import->cycles && import->gaps.count)
		ns_per_cycle = (double)import->gaps.items[import->gaps.count / 2] *
			       (double)import->cycle_samples / (double)import->cycles;
	for (size_t i = 0; i < import->sums.count && !code; i++) {
		struct aggregate *sum = &import->sums.items[i];
		struct recording_stack_sample *row = &sum->row;
		row->weight_ns += (uint64_t)llround((double)sum->cycles * ns_per_cycle);
		/* Each sample stands for about its mean weight, as if drawn (Poisson). */
		double mean = (double)row->weight_ns / (double)row->samples;
		row->variance = mean * mean * (double)row->samples;
		import->run.sampled_ns += row->weight_ns;
		import->run.samples += row->samples;
		code = profile_set_stack_sample(import->profile, row, error);
	}
	return code;
}

static int finish_run(struct import *import, struct error *error)
{
	struct recording_run *run = &import->run;

	run->wall_ns = (uint64_t)llround((import->last - import->first) * 1e9);
	run->period_ns = run->samples ? run->sampled_ns / run->samples : 0;
	run->finished = true;
	return profile_update_run(import->profile, run, error);
}

static void import_release(struct import *import)
{
	struct recording_run *run = &import->run;

	free(run->command);
	free(run->host);
	free(run->kernel);
	free(run->machine);
	interner_clear(&import->texts);
	hash_map_clear(&import->frames);
	hash_map_clear(&import->stacks);
	hash_map_clear(&import->threads);
	hash_map_clear(&import->aggregates);
	array_free(&import->frame_ids);
	array_free(&import->stack_ids);
	array_free(&import->rows);
	array_free(&import->sums);
	array_free(&import->gaps);
	array_free(&import->last_seconds);
	array_free(&import->frames_of_sample);
}

int perf_script_import(FILE *in, const char *version, struct profile *profile,
		       struct perf_script_counts *counts, struct error *error)
{
	struct import import = {.profile = profile, .counts = counts};
	AUTO(text) char *line = NULL;
	size_t size = 0;

	*counts = (struct perf_script_counts){0};
	import.run = (struct recording_run){.engine = (char *)"perf",
					    .version = (char *)(uintptr_t)version,
					    .granularity = (char *)"function",
					    .started_s = (int64_t)time(NULL),
					    .exit_status = -1,
					    .kind = RUN_SAMPLES};
	int code = profile_add_run(profile, &import.run, error);
	for (size_t number = 1; !code && getline(&line, &size, in) > 0; number++)
		code = read_line(&import, line, number, error);
	code = code ? code : end_sample(&import, error);
	if (!code && !counts->samples)
		code = error_set(error, -EINVAL,
				 "no sample of a clock or of cycles in it; record with perf record "
				 "-e cpu-clock -g, or without -e");
	code = code ? code : write_sums(&import, error);
	code = code ? code : finish_run(&import, error);
	import_release(&import);
	return code;
}
