/* SPDX-License-Identifier: BSD-2-Clause */
/* recordings_timeline - hostile names of spans, counters, texts, threads and system calls. */
#include "recordings_timeline.h"

#include "base/cleanup.h"

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define PID 7
#define TID 8
#define STEP_NS 1000u
#define LONG_BYTES 10000

CLEANUP_DEFINE(profile, struct profile *, profile_close, NULL)

static char long_name[LONG_BYTES + 1];

static const char *const names[] = {
	"<script>document.title = 'taken'</script>",
	"</script><img src=x onerror=\"document.title = 'taken'\">",
	"a\tb\r\nc;d \x1b[31m\x01\x7f",
	"comma, \"quote\"\nnew line",
	"\xff\xfe\xc3\x28 not UTF-8 \xe2\x80\xae turned",
	"=1+1|cmd",
	"\\u0000 \\\"",
	"__proto__",
	"",
	long_name,
};

static int add_words(struct profile *profile, int64_t run_id, struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < COUNT_OF(names) && !code; i++) {
		struct recording_string word = {.run_id = run_id,
						.number = (unsigned)i,
						.text = (char *)(uintptr_t)names[i]};
		code = profile_add_string(profile, &word, error);
	}
	return code;
}

static int add_chunk(struct profile *profile, int64_t run_id, enum chunk_kind kind,
		     struct chunk_writer *chunk_writer, struct error *error)
{
	bool is_marks = kind == CHUNK_MARKS;
	struct recording_chunk chunk = {
		.run_id = run_id,
		.kind = kind,
		.pid = is_marks ? PID : 0,
		.tid = is_marks ? TID : 0,
		.start_ns = chunk_writer->start_ns,
		.end_ns = chunk_writer->last_ns,
		.events = chunk_writer->events,
	};
	chunk.data.items = chunk_writer_take(chunk_writer, &chunk.data.count);
	int code = profile_add_chunk(profile, &chunk, error);
	free(chunk.data.items);
	chunk_writer_release(chunk_writer);
	return code;
}

static void put(struct chunk_writer *marks, uint64_t *now, enum mark_kind kind, size_t word,
		bool has_text)
{
	struct mark mark = {.time_ns = *now += STEP_NS, .kind = kind, .name_id = (unsigned)word};

	if (kind == MARK_COUNTER) {
		mark.has_value = true;
		mark.value = word;
	} else if (has_text) {
		mark.is_text = mark.has_value = true;
		mark.value = (word + 1) % COUNT_OF(names);
	}
	chunk_writer_add_mark(marks, &mark);
}

static int add_marks(struct profile *profile, int64_t run_id, struct error *error)
{
	struct chunk_writer marks = {0}, tasks = {0};
	struct task_event task = {.time_ns = STEP_NS, .kind = TASK_NAME, .tid = TID, .pid = PID};
	uint64_t now = STEP_NS;

	memcpy(task.name, "<b>\"\n\xff,\x01 thread", sizeof(task.name));
	chunk_writer_add_task(&tasks, &task);
	put(&marks, &now, MARK_PROCESS_NAME, 1, false);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		put(&marks, &now, MARK_THREAD_NAME, i, false);
		put(&marks, &now, MARK_BEGIN, i, true);
		put(&marks, &now, MARK_INSTANT, i, true);
		put(&marks, &now, MARK_COUNTER, i, false);
		put(&marks, &now, MARK_END, i, false);
	}
	int code = add_chunk(profile, run_id, CHUNK_TASKS, &tasks, error);
	return code ? code : add_chunk(profile, run_id, CHUNK_MARKS, &marks, error);
}

int timeline_recording_write(const char *path, struct error *error)
{
	AUTO(profile) struct profile *profile = NULL;
	struct recording_run run = {
		.command = (char *)"[\"</title><script>1</script>\", \"a\\nb\"]",
		.host = (char *)"<i>host",
		.kind = RUN_TIMELINE,
		.wall_ns = 100 * STEP_NS,
		.finished = true,
		.note = (char *)"<i>a note</i> & more",
	};
	memset(long_name, 'x', LONG_BYTES);
	int code = profile_create(path, true, &profile, error);

	code = code ? code : profile_add_run(profile, &run, error);
	code = code ? code : add_words(profile, run.id, error);
	code = code ? code : add_marks(profile, run.id, error);
	return code ? code : profile_commit(profile, error);
}
