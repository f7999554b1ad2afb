/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_script - a sample: a line of its thread and event, frames from within, and an empty line. */
#include "record/perf_script.h"

#include "base/cleanup.h"
#include "base/hash_map.h"
#include "base/interner.h"
#include "base/text.h"
#include "record/perf_script_line.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct aggregate {
	struct recording_stack_sample row;
	uint64_t cycles; /* its periods; the weight follows at the end */
};

/* Texts by their numbers. */
struct frame {
	uint32_t function, object, file;
	unsigned line;
	bool is_kernel, is_inlined;
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
	last_seconds;              /* by core, or by thread where no core is known; NAN: none yet */
	ARRAY(struct frame) chain; /* of the sample that is being read, from within */
	struct perf_script_counts *counts;
	uint64_t cycles, cycle_samples;
	double first, last; /* s, of all samples */
	/* The sample that is being read. */
	bool is_open, is_left_out, is_from_head;
	uint32_t thread;
	enum perf_script_weight weight;
	uint64_t period;
	uint32_t clock; /* text of the event whose samples are time on CPU; 0: none yet */
};

/* ---- rows ---- */

/* The number of the frame in frame_ids. */
static int add_frame(struct import *import, const struct frame *frame, uint32_t *number,
		     struct error *error)
{
	uint64_t first = (uint64_t)frame->function << 32 | frame->file;
	uint64_t second = (uint64_t)frame->object << 32 | frame->line << 1 | frame->is_kernel;

	*number = hash_map_get(&import->frames, first, second);
	if (*number != HASH_MAP_NONE)
		return 0;
	struct recording_frame row = {
		.kind = frame->is_kernel ? FRAME_KERNEL : FRAME_USER,
		.function = (char *)(uintptr_t)interner_text(&import->texts, frame->function),
		.object = (char *)(uintptr_t)interner_text(&import->texts, frame->object),
		.file = (char *)(uintptr_t)interner_text(&import->texts, frame->file),
		.line = frame->line,
	};
	int code = profile_add_frame(import->profile, &row, error);
	*number = (uint32_t)import->frame_ids.count;
	*array_add(&import->frame_ids) = row.id;
	hash_map_set(&import->frames, first, second, *number);
	return code;
}

/* A frame from within outwards, or the source line of the last one. */
static void read_frame(struct import *import, char *line)
{
	struct perf_script_frame told;
	struct frame *last =
		import->chain.count ? &import->chain.items[import->chain.count - 1] : NULL;
	char *file;

	if (perf_script_read_frame(line, &told)) {
		if (import->is_from_head)
			import->chain.count = 0; /* an address of data, as its chain follows */
		*array_add(&import->chain) = (struct frame){
			.function = interner_add(&import->texts, told.name),
			.object = interner_add(&import->texts, told.object),
			.is_kernel = told.is_kernel,
			.is_inlined = told.is_inlined,
		};
	} else if (last && perf_script_read_source(line, &file, &last->line)) {
		last->file = interner_add(&import->texts, file);
	}
	import->is_from_head = false;
}

static int add_stack(struct import *import, int64_t *stack, struct error *error)
{
	uint32_t number;

	*stack = 0;
	for (size_t i = import->chain.count; i-- > 0;) {
		struct frame *frame = &import->chain.items[i];
		if (frame->is_inlined && i + 1 < import->chain.count) {
			frame->object = frame[1].object;
			frame->is_kernel = frame[1].is_kernel;
		}
		int failed = add_frame(import, frame, &number, error);
		if (failed)
			return failed;
		struct recording_stack row = {.caller_id = (uint64_t)*stack,
					      .frame_id = import->frame_ids.items[number]};
		number = hash_map_get(&import->stacks, row.caller_id, (uint64_t)row.frame_id);
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

static int add_thread(struct import *import, const struct perf_script_head *head,
		      struct error *error)
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
	bool is_in_kernel = import->chain.count && import->chain.items[0].is_kernel;
	return is_in_kernel ? CLASS_KERNEL : CLASS_USER;
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
	import->chain.count = 0;
	return code;
}

static void note_gap(struct import *import, const struct perf_script_head *head)
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

/* Of two events that are time on CPU, the second would count it again. */
static bool is_second_clock(struct import *import, enum perf_script_weight weight,
			    const char *event)
{
	int length;
	const char *bare = perf_script_bare_event(event, &length);

	if (weight != WEIGHT_NS && weight != WEIGHT_CYCLES)
		return false;
	uint32_t clock = interner_add_part(&import->texts, bare, (size_t)length);
	if (!import->clock)
		import->clock = clock;
	return clock != import->clock;
}

/* "PERF_RECORD_LOST lost 12", and other records that are no samples. */
static bool is_record(struct import *import, const struct perf_script_head *head)
{
	const char *lost = strstr(head->rest, "lost ");

	if (!text_starts_with(head->event, "PERF_RECORD_"))
		return false;
	if (lost && text_starts_with(head->event, "PERF_RECORD_LOST"))
		import->run.lost += strtoull(lost + strlen("lost "), NULL, 10);
	return true;
}

static int begin_sample(struct import *import, const struct perf_script_head *head,
			struct error *error)
{
	enum perf_script_weight weight = perf_script_weight(head->event);
	struct perf_script_counts *counts = import->counts;

	if (is_record(import, head))
		return 0;
	if (weight == WEIGHT_NONE || is_second_clock(import, weight, head->event)) {
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
	struct perf_script_head head = {0};

	if (line[0] == '|') /* what a line of source says, by -F +srccode */
		return 0;
	if (line[0] == '#') {
		read_header(import, line);
		return 0;
	}
	if (is_blank(line)) {
		import->is_left_out = false;
		return end_sample(import, error);
	}
	if (isspace((unsigned char)line[0]) && !perf_script_has_time(line) &&
	    (import->is_open || import->is_left_out)) {
		if (import->is_open)
			read_frame(import, line);
		return 0;
	}
	int code = end_sample(import, error);
	if (!code && !perf_script_read_head(line, &head) && !perf_script_has_time(line) &&
	    perf_script_lacks_time(line))
		return error_set(error, -EINVAL,
				 "line %zu has no time; record with perf record -T, or print with "
				 "perf script -F +pid,+time,+period",
				 number);
	if (!code && !head.event)
		return error_set(error, -EINVAL,
				 "line %zu is not what perf script prints; give perf.data, or "
				 "its text with all default fields: perf script -F +pid,+period",
				 number);
	code = code ? code : begin_sample(import, &head, error);
	import->is_left_out = !import->is_open;
	if (!code && import->is_open && !is_blank(head.rest)) {
		read_frame(import, head.rest);
		import->is_from_head = import->chain.count;
	}
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
	array_free(&import->chain);
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
		code = error_set(
			error, -EINVAL,
			"no sample of a clock or of cycles in it%s%s; record with perf record "
			"-e cpu-clock -g, or without -e",
			counts->left_out ? ", but of " : "",
			counts->left_out ? counts->left_out_event : "");
	code = code ? code : write_sums(&import, error);
	code = code ? code : finish_run(&import, error);
	import_release(&import);
	return code;
}
