/* SPDX-License-Identifier: BSD-2-Clause */
/* recording - looking rows up, naming their kinds, and freeing the whole. */
#include "profile/recording.h"

#include <math.h>
#include <stdio.h>

static const char *const target_kind_names[] = {
	[TARGET_LINE] = "line",   [TARGET_FUNCTION] = "function",
	[TARGET_SPAN] = "span",   [TARGET_SYSTEM_CALL] = "syscall",
	[TARGET_CLASS] = "class", [TARGET_EXTERNAL] = "outside",
};
static const char *const point_kind_names[] = {
	[POINT_THROUGHPUT] = "throughput",
	[POINT_LATENCY] = "latency",
	[POINT_SAMPLED] = "sampled",
	[POINT_END_TO_END] = "end-to-end",
};
static const char *const verdict_names[] = {
	[VERDICT_COUNTED] = "counted",
	[VERDICT_DISPLACED] = "displaced",
	[VERDICT_TOO_FEW_VISITS] = "too few visits",
	[VERDICT_CUT_SHORT] = "cut short",
};

static const char *const run_kind_names[] = {
	[RUN_CAUSAL] = "causal",
	[RUN_SAMPLES] = "samples",
	[RUN_TIMELINE] = "timeline",
	[RUN_SCALE] = "scale",
};
static const char *const frame_kind_names[] = {
	[FRAME_USER] = "user",
	[FRAME_KERNEL] = "kernel",
};
static const char *const chunk_kind_names[] = {
	[CHUNK_SCHEDULER] = "scheduler",
	[CHUNK_TASKS] = "tasks",
	[CHUNK_INTERRUPTS] = "interrupts",
	[CHUNK_MARKS] = "marks",
};
static const char *const sample_class_names[] = {
	[CLASS_USER] = "user", [CLASS_KERNEL] = "kernel", [CLASS_IO] = "I",
	[CLASS_LOCK] = "L",    [CLASS_RUNNABLE] = "S",    [CLASS_OTHER] = "B",
};

static const char *name_at(const char *const *names, size_t count, unsigned value)
{
	return value < count ? names[value] : NULL;
}

const char *target_kind_name(unsigned kind)
{
	return name_at(target_kind_names, sizeof(target_kind_names) / sizeof(char *), kind);
}

const char *point_kind_name(unsigned kind)
{
	return name_at(point_kind_names, sizeof(point_kind_names) / sizeof(char *), kind);
}

const char *verdict_name(unsigned verdict)
{
	return name_at(verdict_names, sizeof(verdict_names) / sizeof(char *), verdict);
}

const char *run_kind_name(unsigned kind)
{
	return name_at(run_kind_names, sizeof(run_kind_names) / sizeof(char *), kind);
}

const char *frame_kind_name(unsigned kind)
{
	return name_at(frame_kind_names, sizeof(frame_kind_names) / sizeof(char *), kind);
}

const char *chunk_kind_name(unsigned kind)
{
	return name_at(chunk_kind_names, sizeof(chunk_kind_names) / sizeof(char *), kind);
}

const char *sample_class_name(unsigned class)
{
	return name_at(sample_class_names, sizeof(sample_class_names) / sizeof(char *), class);
}

/*
 * Finds the row by id in one of the arrays. Ids are given out from 1 on, so the row is nearly
 * always at id - 1.
 */
#define FIND_BY_ID(array, wanted)                                                   \
	do {                                                                        \
		size_t guess = (size_t)(wanted)-1;                                  \
		if (guess < (array)->count && (array)->items[guess].id == (wanted)) \
			return &(array)->items[guess];                              \
		for (size_t i = 0; i < (array)->count; i++) {                       \
			if ((array)->items[i].id == (wanted))                       \
				return &(array)->items[i];                          \
		}                                                                   \
		return NULL;                                                        \
	} while (0)

const struct recording_run *recording_run(const struct recording *recording, int64_t id)
{
	FIND_BY_ID(&recording->runs, id);
}

const struct recording_target *recording_target(const struct recording *recording, int64_t id)
{
	FIND_BY_ID(&recording->targets, id);
}

const struct recording_point *recording_point(const struct recording *recording, int64_t id)
{
	FIND_BY_ID(&recording->points, id);
}

const struct recording_frame *recording_frame(const struct recording *recording, int64_t id)
{
	FIND_BY_ID(&recording->frames, id);
}

const struct recording_stack *recording_stack(const struct recording *recording, int64_t id)
{
	FIND_BY_ID(&recording->stacks, id);
}

const struct recording_thread *recording_thread(const struct recording *recording, int64_t id)
{
	FIND_BY_ID(&recording->threads, id);
}

static void run_release(struct recording_run *run)
{
	free(run->command);
	free(run->engine);
	free(run->host);
	free(run->kernel);
	free(run->version);
	free(run->granularity);
	free(run->note);
}

static void target_release(struct recording_target *target)
{
	free(target->name);
	free(target->function);
	free(target->file);
	free(target->object);
	free(target->build_id);
}

void recording_keep(struct recording *recording, enum run_kind kind)
{
	size_t kept = 0;

	for (size_t i = 0; i < recording->runs.count; i++) {
		struct recording_run *run = &recording->runs.items[i];
		if (run->kind == kind)
			recording->runs.items[kept++] = *run;
		else
			run_release(run);
	}
	recording->runs.count = kept;
	kept = 0;
	for (size_t i = 0; i < recording->stack_samples.count; i++) {
		struct recording_stack_sample *stack_sample = &recording->stack_samples.items[i];
		if (recording_run(recording, stack_sample->run_id)) {
			recording->stack_samples.items[kept++] = *stack_sample;
			continue;
		}
		free(stack_sample->subclass);
		free(stack_sample->system_call);
	}
	recording->stack_samples.count = kept;
}

static int64_t session_of(const struct recording *recording, int64_t run_id)
{
	for (size_t i = 0; i < recording->parallels.count; i++)
		if (recording->parallels.items[i].run_id == run_id)
			return recording->parallels.items[i].session_id;
	return 0;
}

void recording_keep_session(struct recording *recording)
{
	size_t kept = 0, count = recording->parallels.count;
	int64_t last = count ? recording->parallels.items[count - 1].session_id : 0;

	for (size_t i = 0; i < recording->runs.count; i++) {
		struct recording_run *run = &recording->runs.items[i];
		if (session_of(recording, run->id) == last)
			recording->runs.items[kept++] = *run;
		else
			*array_add(&recording->earlier) = *run;
	}
	recording->runs.count = kept;
}

static void release_samples(struct recording *recording)
{
	for (size_t i = 0; i < recording->frames.count; i++) {
		free(recording->frames.items[i].function);
		free(recording->frames.items[i].file);
		free(recording->frames.items[i].object);
	}
	for (size_t i = 0; i < recording->threads.count; i++)
		free(recording->threads.items[i].command);
	for (size_t i = 0; i < recording->stack_samples.count; i++) {
		free(recording->stack_samples.items[i].subclass);
		free(recording->stack_samples.items[i].system_call);
	}
	array_free(&recording->frames);
	array_free(&recording->stacks);
	array_free(&recording->threads);
	array_free(&recording->stack_samples);
}

static void release_scale(struct recording *recording)
{
	for (size_t i = 0; i < recording->parallels.count; i++)
		free(recording->parallels.items[i].asked);
	array_free(&recording->parallels);
	array_free(&recording->levels);
	array_free(&recording->run_conditions);
	for (size_t i = 0; i < recording->earlier.count; i++)
		run_release(&recording->earlier.items[i]);
	array_free(&recording->earlier);
	for (size_t i = 0; i < recording->what_ifs.count; i++) {
		struct recording_what_if *what_if = &recording->what_ifs.items[i];
		free(what_if->name);
		free(what_if->function);
		free(what_if->file);
		free(what_if->object);
	}
	array_free(&recording->what_ifs);
	array_free(&recording->target_samples);
	array_free(&recording->steals);
}

static void release_timeline(struct recording *recording)
{
	for (size_t i = 0; i < recording->strings.count; i++)
		free(recording->strings.items[i].text);
	for (size_t i = 0; i < recording->chunks.count; i++)
		free(recording->chunks.items[i].data.items);
	array_free(&recording->strings);
	array_free(&recording->chunks);
}

static void experiment_release(struct recording_experiment *experiment)
{
	array_free(&experiment->visits);
	array_free(&experiment->lengths);
}

void recording_free(struct recording *recording)
{
	if (!recording)
		return;
	for (size_t i = 0; i < recording->runs.count; i++)
		run_release(&recording->runs.items[i]);
	for (size_t i = 0; i < recording->targets.count; i++)
		target_release(&recording->targets.items[i]);
	for (size_t i = 0; i < recording->points.count; i++)
		free(recording->points.items[i].name);
	for (size_t i = 0; i < recording->experiments.count; i++)
		experiment_release(&recording->experiments.items[i]);
	array_free(&recording->runs);
	array_free(&recording->overheads);
	array_free(&recording->targets);
	array_free(&recording->points);
	array_free(&recording->experiments);
	array_free(&recording->samples);
	array_free(&recording->totals);
	for (size_t i = 0; i < recording->process_visits.count; i++)
		free(recording->process_visits.items[i].command);
	array_free(&recording->process_visits);
	release_samples(recording);
	release_timeline(recording);
	release_scale(recording);
	free(recording);
}

double recording_visit_period(const struct recording_visit *visit, enum point_kind kind)
{
	if (!(visit->visits > 0))
		return NAN;
	/* Below 0 by the noise of the pauses, if nearly all of the program was sped up by 100 %. */
	double period_ns = ((double)visit->duration_ns - (double)visit->delay_ns) / visit->visits;
	return kind == POINT_LATENCY ? visit->in_flight * period_ns : period_ns;
}

char *recording_command(char *const *arguments)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	fputc('[', out);
	for (size_t i = 0; arguments[i]; i++) {
		fputs(i ? ", \"" : "\"", out);
		for (const char *at = arguments[i]; *at; at++) {
			unsigned char byte = (unsigned char)*at;
			if (byte == '"' || byte == '\\')
				fprintf(out, "\\%c", byte);
			else if (byte < 0x20)
				fprintf(out, "\\u%04x", byte);
			else
				fputc(byte, out);
		}
		fputc('"', out);
	}
	fputc(']', out);
	fclose(out);
	return text;
}
