/* SPDX-License-Identifier: BSD-2-Clause */
/* sampler - a recorder whose samples are kept as addresses until the program has ended. */
#include "scale/sampler.h"

#include "base/memory.h"
#include "base/own.h"
#include "record/scene.h"

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
	struct scene scene;
	ARRAY(struct kept) samples;
	ARRAY(struct kept_frame) frames;
};

OWN_DEFINE(sampler, struct sampler *, sampler_close, NULL)

/* ---- what the kernel side sends ---- */

static void keep_frame(struct sampler *sampler, unsigned tgid, const struct record_frame *frame)
{
	struct kept_frame kept = {.object = SYMBOLS_NONE, .offset = frame->offset};

	if (frame->object == KERNEL_OBJECT_UNKNOWN)
		files_locate(sampler->scene.files, tgid, frame->offset, &kept.object, &kept.offset);
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

/* ---- life ---- */

int sampler_open(const struct sampler_options *options, struct sampler **result,
		 struct error *error)
{
	AUTO(sampler) struct sampler *sampler = memory_new(1, sizeof(*sampler));
	struct recorder_options recorder = {.period_ns = PERIOD_NS,
					    .unwinding = RECORD_UNWIND_TABLES,
					    .verbose = options->verbose};

	sampler->question = options->question;
	sampler->scene.context = sampler;
	sampler->scene.sample = on_sample;
	/* Of all that the program has, the question's object alone is in scope: as in the experiments,
	 * what it calls elsewhere counts for the line that calls. */
	scene_set(&sampler->scene, options->question->object, options->question->kind);
	scene_add_program(&sampler->scene, options->program);
	int code = scene_open(&sampler->scene, &recorder, error);
	if (!code)
		*result = take(&sampler);
	return code;
}

void sampler_close(struct sampler *sampler)
{
	if (!sampler)
		return;
	scene_close(&sampler->scene);
	array_free(&sampler->samples);
	array_free(&sampler->frames);
	free(sampler);
}

int sampler_begin(struct sampler *sampler, pid_t pid, struct error *error)
{
	int code = members_add(sampler->scene.members, pid, error);

	if (!code)
		recorder_start(sampler->scene.recorder);
	return code;
}

void sampler_drain(struct sampler *sampler)
{
	scene_drain(&sampler->scene);
}

/* ---- the end ---- */

static bool texts_equal(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool is_asked(const struct sampler *sampler, uint32_t place)
{
	const struct recording_question *asked = sampler->question;
	const struct symbols_place *found = symbols_place(sampler->scene.symbols, place);

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
		    frame->object >= symbols_object_count(sampler->scene.symbols))
			continue;
		uint32_t place =
			symbols_place_at(sampler->scene.symbols, frame->object, frame->offset);
		if (place != SYMBOLS_NONE)
			return is_asked(sampler, place);
	}
	return false;
}

int sampler_write(struct sampler *sampler, struct profile *profile, int64_t run_id,
		  struct error *error)
{
	int code = 0;

	recorder_stop(sampler->scene.recorder);
	sampler_drain(sampler);
	for (size_t i = 0; i < sampler->samples.count && !code; i++) {
		struct kept *kept = &sampler->samples.items[i];
		kept->hit.run_id = run_id;
		if (is_hit(sampler, kept))
			code = profile_add_hit(profile, &kept->hit, error);
	}
	return code;
}
