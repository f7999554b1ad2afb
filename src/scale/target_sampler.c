/* SPDX-License-Identifier: BSD-2-Clause */
/* target_sampler - a recorder whose samples stay addresses until the program has ended. */
#include "scale/target_sampler.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "record/record_session.h"
#include "symbolize/python.h"

#include <string.h>

#define PERIOD_NS 497000u /* no program has this period */
#define FRAMES_KEPT 12    /* the innermost; the target's callers do not matter */
#define SAMPLES_MAX 4000000u

struct kept_frame {
	uint32_t object; /* of symbols, or SYMBOLS_NONE */
	uint64_t offset;
};

struct kept_sample {
	struct recording_target_sample row;
	uint32_t first, count; /* frames */
};

struct target_sampler {
	const struct recording_what_if *what_if;
	struct record_session session;
	ARRAY(struct kept_sample) samples;
	ARRAY(struct kept_frame) frames;
	uint64_t lost; /* samples beyond SAMPLES_MAX */
};

CLEANUP_DEFINE(target_sampler, struct target_sampler *, target_sampler_close, NULL)

/* ---- samples ---- */

static void keep_frame(struct target_sampler *sampler, unsigned tgid,
		       const struct record_frame *frame)
{
	struct kept_frame kept = {.object = SYMBOLS_NONE, .offset = frame->offset};

	if (frame->object == WIRE_OBJECT_UNKNOWN)
		mapped_files_locate(sampler->session.mapped_files, tgid, frame->offset,
				    &kept.object, &kept.offset);
	else if (frame->object == WIRE_OBJECT_PYTHON)
		kept.object = symbols_python_object(sampler->session.symbols);
	else if (frame->object && frame->object != WIRE_OBJECT_NO_FILE)
		kept.object = frame->object - 1;
	*array_add(&sampler->frames) = kept;
}

/* Waits for a core belong to no code. */
static void on_sample(void *context, const struct record_sample *sample)
{
	struct target_sampler *sampler = context;
	bool runs = sample->flags & RECORD_ON_CPU;

	if (!sample->weight_ns || sample->user_count > RECORD_USER_FRAMES_MOST ||
	    (!runs && sample->flags & RECORD_PREEMPTED))
		return;
	if (sampler->samples.count >= SAMPLES_MAX) {
		sampler->lost++;
		return;
	}
	struct kept_sample *kept = array_add(&sampler->samples);
	kept->row = (struct recording_target_sample){.tid = sample->tid,
						     .time_ns = sample->time_ns,
						     .weight_ns = sample->weight_ns,
						     .is_waiting = !runs};
	kept->first = (uint32_t)sampler->frames.count;
	kept->count = sample->user_count < FRAMES_KEPT ? sample->user_count : FRAMES_KEPT;
	for (uint32_t i = 0; i < kept->count; i++)
		keep_frame(sampler, sample->tgid, &sample->user[i]);
}

/* ---- life ---- */

int target_sampler_open(const struct target_sampler_options *options,
			struct target_sampler **result, struct error *error)
{
	AUTO(target_sampler)
	struct target_sampler *sampler = memory_new(1, sizeof(*sampler));
	struct recorder_options recorder = {.period_ns = PERIOD_NS,
					    .unwinding = RECORD_UNWIND_TABLES,
					    .verbose = options->verbose};

	sampler->what_if = options->what_if;
	sampler->session.context = sampler;
	sampler->session.sample = on_sample;
	/* Only the target's object is in scope: time in others belongs to the calling line, as in
	 * the experiments. */
	record_session_configure(&sampler->session, options->what_if->object,
				 options->what_if->members.count ?
					 options->what_if->members.items[0].kind :
					 options->what_if->kind);
	record_session_add_program(&sampler->session, options->program);
	int code = record_session_open(&sampler->session, &recorder, error);
	if (!code)
		*result = take(&sampler);
	return code;
}

void target_sampler_close(struct target_sampler *sampler)
{
	if (!sampler)
		return;
	record_session_close(&sampler->session);
	array_free(&sampler->samples);
	array_free(&sampler->frames);
	free(sampler);
}

int target_sampler_begin(struct target_sampler *sampler, pid_t pid, struct error *error)
{
	int code = record_session_add_process(&sampler->session, pid, error);

	if (!code)
		recorder_start(sampler->session.recorder);
	return code;
}

void target_sampler_drain(struct target_sampler *sampler)
{
	record_session_drain(&sampler->session);
}

/* ---- the end ---- */

/* At speedup s of the target, the code is sped up by s times this; 0: it is not the target's. */
static double level_of(const struct target_sampler *sampler, uint32_t place)
{
	const struct recording_what_if *asked = sampler->what_if;
	const struct symbols_location *found = symbols_location(sampler->session.symbols, place);

	for (size_t i = 0; i < asked->members.count; i++)
		if (found->kind == asked->members.items[i].kind &&
		    text_equals(found->name, asked->members.items[i].name))
			return asked->members.items[i].level;
	if (found->kind != asked->kind)
		return 0;
	if (asked->kind == TARGET_LINE)
		return found->line == asked->line && text_equals(found->file, asked->file);
	return text_equals(found->name, asked->name) ||
	       text_equals(found->function, asked->function);
}

/* The innermost frame in scope decides. */
static double sample_level(const struct target_sampler *sampler, const struct kept_sample *kept)
{
	for (uint32_t i = 0; i < kept->count; i++) {
		const struct kept_frame *frame = &sampler->frames.items[kept->first + i];
		if (frame->object == SYMBOLS_NONE ||
		    frame->object >= symbols_object_count(sampler->session.symbols))
			continue;
		uint32_t place =
			symbols_location_at(sampler->session.symbols, frame->object, frame->offset);
		if (place != SYMBOLS_NONE)
			return level_of(sampler, place);
	}
	return 0;
}

uint64_t target_sampler_lost(const struct target_sampler *sampler)
{
	return sampler->lost;
}

int target_sampler_write(struct target_sampler *sampler, struct profile *profile, int64_t run_id,
			 struct error *error)
{
	int code = 0;

	recorder_stop(sampler->session.recorder);
	target_sampler_drain(sampler);
	for (size_t i = 0; i < sampler->samples.count && !code; i++) {
		struct kept_sample *kept = &sampler->samples.items[i];
		double level = sample_level(sampler, kept);
		kept->row.run_id = run_id;
		kept->row.weight_ns = (uint64_t)(level * (double)kept->row.weight_ns);
		if (level > 0)
			code = profile_add_target_sample(profile, &kept->row, error);
	}
	return code;
}
