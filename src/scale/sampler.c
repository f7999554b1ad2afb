/* SPDX-License-Identifier: BSD-2-Clause */
/* sampler - a recorder whose samples are kept as addresses until the program has ended. */
#include "scale/sampler.h"

#include "base/memory.h"
#include "base/own.h"
#include "collect/libraries.h"
#include "collect/recorder.h"
#include "experiment/files.h"
#include "record/members.h"
#include "symbolize/scope.h"
#include "symbolize/symbols.h"

#include <string.h>

#define PERIOD_NS 497000u /* that no program keeps */
#define FRAMES_KEPT 12    /* the innermost: the code's callers do not matter */
#define SAMPLES_MOST 4000000u

struct kept_frame {
	uint32_t object; /* of symbols; SYMBOLS_NONE */
	uint64_t offset;
};

struct kept {
	struct recording_hit hit;
	uint32_t first, count; /* frames */
};

struct sampler {
	const struct recording_question *question;
	struct scope *scope;
	struct symbols *symbols;
	struct recorder *recorder;
	struct files *files;
	struct members *members;
	struct recorder_handler handler;
	ARRAY(struct kept) samples;
	ARRAY(struct kept_frame) frames;
};

OWN_DEFINE(sampler, struct sampler *, sampler_close, NULL)

/* ---- what the kernel side sends ---- */

static void keep_frame(struct sampler *sampler, unsigned tgid, const struct record_frame *frame)
{
	struct kept_frame kept = {.object = SYMBOLS_NONE, .offset = frame->offset};

	if (frame->object == KERNEL_OBJECT_UNKNOWN)
		files_locate(sampler->files, tgid, frame->offset, &kept.object, &kept.offset);
	else if (frame->object && frame->object != KERNEL_OBJECT_NO_FILE)
		kept.object = frame->object - 1;
	*array_add(&sampler->frames) = kept;
}

/* Waits for a core are nobody's code. */
static void on_sample(void *context, const struct record_sample *sample)
{
	struct sampler *sampler = context;
	bool runs = sample->flags & RECORD_ON_CPU;

	if (!sample->weight_ns || sampler->samples.count >= SAMPLES_MOST ||
	    sample->user_count > RECORD_USER_FRAMES_MOST ||
	    (!runs && sample->flags & RECORD_PREEMPTED))
		return;
	struct kept *kept = array_add(&sampler->samples);
	kept->hit = (struct recording_hit){.tid = sample->tid,
					   .time_ns = sample->time_ns,
					   .weight_ns = sample->weight_ns,
					   .is_waiting = !runs};
	kept->first = (uint32_t)sampler->frames.count;
	kept->count = sample->user_count < FRAMES_KEPT ? sample->user_count : FRAMES_KEPT;
	for (uint32_t i = 0; i < kept->count; i++)
		keep_frame(sampler, sample->tgid, &sample->user[i]);
}

static void on_object(void *context, const struct kernel_object_event *event)
{
	files_on_object(((struct sampler *)context)->files, event);
}

static void on_process(void *context, const struct kernel_process_event *event)
{
	members_on_process(((struct sampler *)context)->members, event);
}

static void on_path(void *context, const struct kernel_file *file, const char *path)
{
	files_on_path(((struct sampler *)context)->files, file, path);
}

static int name_object(void *context, const struct kernel_file *file, uint32_t object)
{
	return recorder_name_object(context, file, object);
}

static int set_unwind(void *context, uint32_t object, const struct kernel_unwind_row *rows,
		      size_t count)
{
	return recorder_set_unwind(context, object, rows, count);
}

/* ---- life ---- */

static void add_library(void *context, const char *path)
{
	uint32_t object;
	symbols_add_object(((struct sampler *)context)->symbols, path, NULL, false, &object, NULL);
}

/* Of all that the program has, the question's object alone is in scope: as in the experiments, what
 * it calls elsewhere counts for the line that calls. */
static void open_symbols(struct sampler *sampler, const struct sampler_options *options)
{
	AUTO(text) char *pattern = text_format("bin:%s", options->question->object);
	AUTO(text) char *real = realpath(options->program, NULL);
	const char *path = real ? real : options->program;
	uint32_t object;

	sampler->scope = scope_new();
	scope_add(sampler->scope, pattern, true);
	sampler->symbols = symbols_new(options->question->kind, sampler->scope);
	/* A script is no object: what it runs is announced later. */
	if (!symbols_add_object(sampler->symbols, path, NULL, true, &object, NULL))
		libraries_each(path, add_library, sampler);
}

int sampler_open(const struct sampler_options *options, struct sampler **result,
		 struct error *error)
{
	AUTO(sampler) struct sampler *sampler = memory_new(1, sizeof(*sampler));
	struct recorder_options recorder = {.period_ns = PERIOD_NS,
					    .unwinding = RECORD_UNWIND_TABLES,
					    .verbose = options->verbose};

	sampler->question = options->question;
	open_symbols(sampler, options);
	int code = recorder_open(&recorder, &sampler->recorder, error);
	if (code)
		return code;
	struct files_sink sink = {.context = sampler->recorder,
				  .name_object = name_object,
				  .set_unwind = set_unwind};
	sampler->files = files_new(sampler->symbols, &sink);
	for (uint32_t i = 0; i < symbols_object_count(sampler->symbols); i++)
		files_tell(sampler->files, i);
	sampler->members = members_new(sampler->recorder);
	sampler->handler = (struct recorder_handler){.context = sampler,
						     .sample = on_sample,
						     .object = on_object,
						     .process = on_process,
						     .path = on_path};
	*result = take(&sampler);
	return 0;
}

void sampler_close(struct sampler *sampler)
{
	if (!sampler)
		return;
	if (sampler->members)
		members_free(sampler->members);
	if (sampler->files)
		files_free(sampler->files);
	recorder_close(sampler->recorder);
	symbols_free(sampler->symbols);
	scope_free(sampler->scope);
	array_free(&sampler->samples);
	array_free(&sampler->frames);
	free(sampler);
}

int sampler_begin(struct sampler *sampler, pid_t pid, struct error *error)
{
	int code = members_add(sampler->members, pid, error);

	if (!code)
		recorder_start(sampler->recorder);
	return code;
}

void sampler_drain(struct sampler *sampler)
{
	recorder_drain(sampler->recorder, &sampler->handler);
}

/* ---- the end ---- */

static bool texts_equal(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool is_asked(const struct sampler *sampler, uint32_t place)
{
	const struct recording_question *asked = sampler->question;
	const struct symbols_place *found = symbols_place(sampler->symbols, place);

	if (found->kind != asked->kind)
		return false;
	if (asked->kind == TARGET_LINE)
		return found->line == asked->line && texts_equal(found->file, asked->file);
	return texts_equal(found->name, asked->name) ||
	       texts_equal(found->function, asked->function);
}

/* The innermost frame in scope decides. */
static bool is_hit(const struct sampler *sampler, const struct kept *kept)
{
	for (uint32_t i = 0; i < kept->count; i++) {
		const struct kept_frame *frame = &sampler->frames.items[kept->first + i];
		if (frame->object == SYMBOLS_NONE ||
		    frame->object >= symbols_object_count(sampler->symbols))
			continue;
		uint32_t place = symbols_place_at(sampler->symbols, frame->object, frame->offset);
		if (place != SYMBOLS_NONE)
			return is_asked(sampler, place);
	}
	return false;
}

int sampler_write(struct sampler *sampler, struct profile *profile, int64_t run_id,
		  struct error *error)
{
	int code = 0;

	recorder_stop(sampler->recorder);
	sampler_drain(sampler);
	for (size_t i = 0; i < sampler->samples.count && !code; i++) {
		struct kept *kept = &sampler->samples.items[i];
		kept->hit.run_id = run_id;
		if (is_hit(sampler, kept))
			code = profile_add_hit(profile, &kept->hit, error);
	}
	return code;
}
