/* SPDX-License-Identifier: BSD-2-Clause */
/* recording - finding rows by id, leaving out runs, and freeing the whole. */
#include "profile/recording.h"

#include "base/json.h"
#include "base/text.h"
#include "profile/rows.h"

#include <stdio.h>
#include <string.h>

#define FIND_ROW(noun, table)                                                              \
	const struct recording_##noun *recording_##noun(const struct recording *recording, \
							int64_t id)                        \
	{                                                                                  \
		return rows_find(recording, table, id);                                    \
	}

FIND_ROW(run, TABLE_RUN)
FIND_ROW(target, TABLE_TARGET)
FIND_ROW(point, TABLE_POINT)
FIND_ROW(frame, TABLE_FRAME)
FIND_ROW(stack, TABLE_STACK)
FIND_ROW(thread, TABLE_THREAD)

bool recording_run_has_all_kinds(const struct recording_run *run)
{
	return run->granularity && !strcmp(run->granularity, RECORDING_GRANULARITY_ALL);
}

char *recording_target_name(const char *name, const char *assumed)
{
	return assumed ? text_format("%s after %s", name, assumed) : text_copy(name);
}

const struct recording_visit *recording_visit(const struct recording_experiment *experiment,
					      int64_t point)
{
	for (size_t i = 0; i < experiment->visits.count; i++)
		if (experiment->visits.items[i].point_id == point)
			return &experiment->visits.items[i];
	return NULL;
}

void recording_keep(struct recording *recording, enum run_kind kind)
{
	size_t kept = 0;

	for (size_t i = 0; i < recording->runs.count; i++) {
		struct recording_run *run = &recording->runs.items[i];
		if (run->kind == kind)
			recording->runs.items[kept++] = *run;
		else
			row_release(TABLE_RUN, run);
	}
	recording->runs.count = kept;
	kept = 0;
	for (size_t i = 0; i < recording->stack_samples.count; i++) {
		struct recording_stack_sample *stack_sample = &recording->stack_samples.items[i];
		if (recording_run(recording, stack_sample->run_id))
			recording->stack_samples.items[kept++] = *stack_sample;
		else
			row_release(TABLE_STACK_SAMPLE, stack_sample);
	}
	recording->stack_samples.count = kept;
	kept = 0;
	for (size_t i = 0; i < recording->wakeups.count; i++)
		if (recording_run(recording, recording->wakeups.items[i].run_id))
			recording->wakeups.items[kept++] = recording->wakeups.items[i];
	recording->wakeups.count = kept;
}

int64_t recording_first_run(const struct recording *recording, int64_t run_id)
{
	for (size_t i = 0; i < recording->clocks.count; i++)
		if (recording->clocks.items[i].run_id == run_id)
			return recording->clocks.items[i].first_run_id;
	return 0;
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

void recording_free(struct recording *recording)
{
	if (!recording)
		return;
	for (size_t i = 0; i < recording->experiments.count; i++) {
		array_free(&recording->experiments.items[i].visits);
		array_free(&recording->experiments.items[i].lengths);
		array_free(&recording->experiments.items[i].marks);
	}
	for (size_t i = 0; i < recording->earlier.count; i++)
		row_release(TABLE_RUN, &recording->earlier.items[i]);
	array_free(&recording->earlier);
	for (size_t i = 0; i < TABLES; i++)
		rows_release(recording, i);
	free(recording);
}

bool recording_point_is_requests(const struct recording_point *point)
{
	static const char word[] = "requests";

	if (!point->name || strncmp(point->name, word, sizeof(word) - 1))
		return false;
	return !point->name[sizeof(word) - 1] || point->name[sizeof(word) - 1] == ':';
}

char *recording_command(char *const *arguments)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	fputc('[', out);
	for (size_t i = 0; arguments[i]; i++) {
		fputs(i ? ", " : "", out);
		json_write_text(out, arguments[i]);
	}
	fputc(']', out);
	fclose(out);
	return text;
}
