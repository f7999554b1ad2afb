/* SPDX-License-Identifier: BSD-2-Clause */
/* hosts - two hosts whose clocks, thread ids, cores and words collide, on one timeline. */
#include "check.h"

#include "analyze/timeline/hosts.h"
#include "analyze/timeline/path.h"
#include "analyze/timeline/spans.h"
#include "base/cleanup.h"

#include <math.h>
#include <string.h>

#define US 1000ull
#define BASE (50 * 1000000ull) /* of the first host's clock */
#define AHEAD 7200000000000ull /* of the second host's */

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)
CLEANUP_DEFINE(timeline, struct timeline *, timeline_free, NULL)
CLEANUP_DEFINE(path, struct path *, path_free, NULL)
CLEANUP_DEFINE(spans, struct spans *, spans_free, NULL)

static void add_word(struct recording *recording, int64_t run_id, unsigned number, const char *text)
{
	*array_add(&recording->strings) =
		(struct recording_string){.id = (int64_t)recording->strings.count,
					  .run_id = run_id,
					  .number = number,
					  .text = text_copy(text)};
}

static void add_chunk(struct recording *recording, int64_t run_id, enum chunk_kind kind,
		      struct chunk_writer *writer)
{
	struct recording_chunk *chunk = array_add(&recording->chunks);

	*chunk = (struct recording_chunk){.id = (int64_t)recording->chunks.count,
					  .run_id = run_id,
					  .kind = kind,
					  .pid = kind == CHUNK_MARKS ? 10 : 0,
					  .tid = kind == CHUNK_MARKS ? 11 : 0,
					  .start_ns = writer->start_ns,
					  .end_ns = writer->last_ns,
					  .events = writer->events};
	chunk->data.items = chunk_writer_take(writer, &chunk->data.count);
	chunk_writer_release(writer);
}

static void put(struct chunk_writer *writer, uint64_t time_ns, enum mark_kind kind, unsigned word)
{
	struct mark mark = {.time_ns = time_ns, .kind = kind, .name_id = word};
	chunk_writer_add_mark(writer, &mark);
}

static void put_switch(struct chunk_writer *writer, uint64_t time_ns, unsigned from, unsigned to)
{
	struct switch_event event = {.time_ns = time_ns,
				     .tid = from,
				     .other = to,
				     .kind = SWITCH_SWITCH,
				     .flags = from ? SWITCH_TID_OURS : SWITCH_OTHER_OURS,
				     .system_call = from ? 202 : SWITCH_NO_CALL,
				     .state = 1};
	chunk_writer_add_switch(writer, &event);
}

/* Thread 11 works on core 0 for `work_us` from `from_us` on; `word` is the number of "work". */
static void add_host(struct recording *recording, int64_t run_id, unsigned word, uint64_t begin_ns,
		     uint64_t work_us)
{
	struct recording_run *run = array_add(&recording->runs);
	struct chunk_writer core = {0}, marks = {0}, tasks = {0};
	struct task_event task = {
		.time_ns = begin_ns, .kind = TASK_NAME, .tid = 11, .pid = 10, .name = "worker"};

	run->id = run_id;
	run->kind = RUN_TIMELINE;
	run->finished = true;
	run->host = text_copy(run_id == 1 ? "one" : "two");
	add_word(recording, run_id, word, "work");
	add_word(recording, run_id, 3 - word, run_id == 1 ? "first" : "second");
	add_word(recording, run_id, RECORDING_STRING_SYSTEM_CALLS + 202, "futex");
	chunk_writer_add_task(&tasks, &task);
	put_switch(&core, begin_ns, 0, 11);
	put_switch(&core, begin_ns + work_us * US, 11, 0);
	put(&marks, begin_ns, MARK_BEGIN, word);
	put(&marks, begin_ns + work_us * US, MARK_END, word);
	put(&marks, begin_ns + work_us * US, MARK_INSTANT, 3 - word);
	add_chunk(recording, run_id, CHUNK_TASKS, &tasks);
	add_chunk(recording, run_id, CHUNK_SCHEDULER, &core);
	add_chunk(recording, run_id, CHUNK_MARKS, &marks);
}

/* The second host begins 100 us after the first, and its clock is two hours ahead. */
static struct recording *two_hosts(void)
{
	struct recording *recording = memory_new(1, sizeof(*recording));

	add_host(recording, 1, 1, BASE, 100);
	add_host(recording, 2, 2, BASE + AHEAD + 100 * US, 300);
	for (uint64_t i = 0; i < 3; i++)
		*array_add(&recording->clocks) =
			(struct recording_clock){.run_id = 2,
						 .first_run_id = 1,
						 .time_ns = BASE + AHEAD + i * 1000 * US,
						 .low_ns = -(int64_t)AHEAD - 5000,
						 .high_ns = -(int64_t)AHEAD + 5000};
	return recording;
}

TEST("threads of two hosts stand on one clock, though their ids and times collide")
{
	AUTO(recording) struct recording *recording = two_hosts();
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	CHECK_EQUAL(timeline->hosts.count, 2);
	CHECK_EQUAL(timeline->threads.count, 2);
	CHECK_EQUAL(timeline->other_runs, 0);
	const struct timeline_thread *one = &timeline->threads.items[0], *two = one + 1;
	CHECK_EQUAL(timeline_tid(one->tid), 11);
	CHECK_EQUAL(timeline_tid(two->tid), 11);
	CHECK_TEXT(timeline_host_of(timeline, one->tid)->name, "one");
	CHECK_TEXT(timeline_host_of(timeline, two->tid)->name, "two");
	CHECK_TEXT(two->name, "worker");
	CHECK_EQUAL(one->start_ns, BASE);
	CHECK_EQUAL(two->start_ns, BASE + 100 * US);
	CHECK_EQUAL(timeline->end_ns, BASE + 400 * US);
	CHECK_EQUAL(two->class_ns[TIMELINE_RUNNING], 300 * US);
	CHECK(timeline_thread_of(timeline, two->tid) == two);
	CHECK_EQUAL(timeline->hosts.items[1].ahead_ns, (int64_t)AHEAD);
	CHECK(timeline->hosts.items[1].uncertainty_ns >= 5000);
	CHECK_EQUAL(timeline->damaged_chunks, 0);
}

TEST("cores of two hosts are apart, and the busiest host is known")
{
	AUTO(recording) struct recording *recording = two_hosts();
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	CHECK_EQUAL(timeline->cores.count, 2);
	AUTO(text) char *name = timeline_core_name(timeline, timeline->cores.items[1].cpu);
	CHECK_TEXT(name, "core 0 of two");
	CHECK(fabs(timeline->hosts.items[0].busy_cores - 0.25) < 1e-9);
	CHECK(fabs(timeline->hosts.items[1].busy_cores - 0.75) < 1e-9);
	CHECK(fabs(timeline->imbalance - 0.5) < 1e-9);
}

TEST("equal words are one name, and others keep their text")
{
	AUTO(recording) struct recording *recording = two_hosts();
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	AUTO(spans) struct spans *spans = spans_new(timeline);
	CHECK_EQUAL(spans->rows.count, 1);
	CHECK_TEXT(timeline_name(timeline, spans->rows.items[0].name_id), "work");
	CHECK_EQUAL(spans->rows.items[0].threads, 2);
	CHECK_EQUAL(spans->rows.items[0].total_ns, 400 * US);
	CHECK_TEXT(timeline_call(timeline, 202), "futex");
	size_t found = 0;
	for (size_t i = 0; i < timeline->name_count; i++)
		found += !strcmp(timeline_name(timeline, i), "first") ||
			 !strcmp(timeline_name(timeline, i), "second");
	CHECK_EQUAL(found, 2);
}

/* Thread 11 runs twice, woken by an interrupt in between; each end may be 0. */
static void add_worker(struct recording *recording, int64_t run_id, uint64_t begin_ns,
		       const unsigned *times_us, const struct mark *messages, size_t count)
{
	struct recording_run *run = array_add(&recording->runs);
	struct chunk_writer core = {0}, marks = {0}, tasks = {0};
	struct task_event task = {
		.time_ns = begin_ns, .kind = TASK_NAME, .tid = 11, .pid = 10, .name = "worker"};
	struct switch_event wake = {.time_ns = begin_ns + times_us[2] * US,
				    .tid = 11,
				    .kind = SWITCH_WAKE,
				    .flags = SWITCH_TID_OURS | SWITCH_INTERRUPT,
				    .system_call = SWITCH_NO_CALL};

	run->id = run_id;
	run->kind = RUN_TIMELINE;
	run->host = text_copy(run_id == 1 ? "one" : "two");
	add_word(recording, run_id, (unsigned)run_id, CHUNK_MESSAGE_NAME);
	chunk_writer_add_task(&tasks, &task);
	if (times_us[1]) {
		put_switch(&core, begin_ns + times_us[0] * US, 0, 11);
		put_switch(&core, begin_ns + times_us[1] * US, 11, 0);
	}
	chunk_writer_add_switch(&core, &wake);
	put_switch(&core, begin_ns + times_us[3] * US, 0, 11);
	put_switch(&core, begin_ns + times_us[4] * US, 11, 0);
	for (size_t i = 0; i < count; i++) {
		struct mark mark = messages[i];
		mark.time_ns += begin_ns;
		mark.name_id = (unsigned)run_id;
		mark.has_value = true;
		chunk_writer_add_mark(&marks, &mark);
	}
	add_chunk(recording, run_id, CHUNK_TASKS, &tasks);
	add_chunk(recording, run_id, CHUNK_SCHEDULER, &core);
	add_chunk(recording, run_id, CHUNK_MARKS, &marks);
	recording->chunks.items[recording->chunks.count - 1].cpu = RECORDING_MARKS_KERNEL;
}

/* One asks and waits, two works and answers; its clock is told to half a millisecond only. */
static struct recording *question_and_answer(void)
{
	static const unsigned one_us[] = {0, 100, 445, 450, 500}, two_us[] = {0, 0, 150, 160, 400};
	const struct mark one[] = {{.time_ns = 95 * US, .kind = MARK_FLOW_OUT, .value = 7},
				   {.time_ns = 455 * US, .kind = MARK_FLOW_IN, .value = 8}};
	const struct mark two[] = {{.time_ns = 165 * US, .kind = MARK_FLOW_IN, .value = 7},
				   {.time_ns = 390 * US, .kind = MARK_FLOW_OUT, .value = 8}};
	struct recording *recording = memory_new(1, sizeof(*recording));

	add_worker(recording, 1, BASE, one_us, one, 2);
	add_worker(recording, 2, BASE + AHEAD, two_us, two, 2);
	for (uint64_t i = 0; i < 2; i++)
		*array_add(&recording->clocks) =
			(struct recording_clock){.run_id = 2,
						 .first_run_id = 1,
						 .time_ns = BASE + AHEAD + i * 1000000 * US,
						 .low_ns = -(int64_t)AHEAD - 500000,
						 .high_ns = -(int64_t)AHEAD + 500000};
	return recording;
}

static bool is_near(uint64_t found_ns, uint64_t wanted_us)
{
	return fabs((double)found_ns - (double)wanted_us * 1e3) < 3e3;
}

TEST("messages narrow what clocks are known to, and none arrives before it left")
{
	AUTO(recording) struct recording *recording = question_and_answer();
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	AUTO(spans) struct spans *spans = spans_new(timeline);
	CHECK(timeline->hosts.items[1].uncertainty_ns < 600000);
	CHECK_EQUAL(spans->flows.count, 1);
	CHECK_TEXT(timeline_name(timeline, spans->flows.items[0].name_id), CHUNK_MESSAGE_NAME);
	CHECK_EQUAL(spans->flows.items[0].count, 2);
	CHECK_EQUAL(spans->flows.items[0].lost, 0);
	CHECK(is_near(spans->flows.items[0].total_ns, 70 + 65));
}

static void add_message_end(struct recording *recording, int64_t run_id, uint64_t time_ns,
			    enum mark_kind kind)
{
	struct chunk_writer marks = {0};
	struct mark mark = {.time_ns = time_ns,
			    .kind = kind,
			    .name_id = (unsigned)run_id,
			    .has_value = true,
			    .value = 5ull << 32 | 9};

	chunk_writer_add_mark(&marks, &mark);
	add_chunk(recording, run_id, CHUNK_MARKS, &marks);
	recording->chunks.items[recording->chunks.count - 1].cpu = RECORDING_MARKS_KERNEL;
}

TEST("a message that the clocks do not allow bounds none")
{
	AUTO(recording) struct recording *recording = question_and_answer();
	add_message_end(recording, 1, BASE + 3000 * US, MARK_FLOW_OUT);
	add_message_end(recording, 2, BASE + AHEAD + 100 * US, MARK_FLOW_IN);
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	CHECK(timeline->hosts.items[1].uncertainty_ns < 600000);
	CHECK_EQUAL(timeline->messages.count, 2);
}

TEST("the critical path goes to another host and back by messages")
{
	AUTO(recording) struct recording *recording = question_and_answer();
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	AUTO(path) struct path *path = path_new(timeline);
	CHECK(is_near(path->all_ns, 500));
	CHECK_EQUAL(path->messages, 2);
	CHECK_EQUAL(path->rows.count, 2);
	const struct path_row *two = &path->rows.items[0], *one = two + 1;
	CHECK_TEXT(timeline_host_of(timeline, timeline->threads.items[two->thread].tid)->name,
		   "two");
	CHECK(is_near(two->class_ns[TIMELINE_RUNNING], 230));
	CHECK(is_near(two->class_ns[TIMELINE_RUNNABLE], 10));
	CHECK(is_near(one->class_ns[TIMELINE_RUNNING], 145));
	CHECK_EQUAL(one->class_ns[TIMELINE_OTHER] + two->class_ns[TIMELINE_OTHER], 0);
	CHECK(is_near(path->message_ns, 110));
	CHECK_EQUAL(path->segments.count, 3);
	CHECK_EQUAL(path->segments.items[2].start_ns, BASE);
	CHECK(path->segments.items[1].thread == two->thread);
}

/* The first host's wake-up seems to come from its thread 12, which runs on core 1 at that time. */
static struct recording *woken_by_thread(const char *call)
{
	struct recording *recording = question_and_answer();
	struct chunk_writer core = {0}, tasks = {0};
	struct switch_event wake = {.time_ns = BASE + 445 * US,
				    .tid = 11,
				    .other = 12,
				    .kind = SWITCH_WAKE,
				    .flags = SWITCH_TID_OURS | SWITCH_OTHER_OURS,
				    .system_call = 202};
	struct task_event task = {
		.time_ns = BASE, .kind = TASK_NAME, .tid = 12, .pid = 10, .name = "other"};

	add_word(recording, 1, RECORDING_STRING_SYSTEM_CALLS + 202, call);
	for (size_t i = 0; i < recording->chunks.count; i++) { /* without the one by an interrupt */
		struct recording_chunk *chunk = &recording->chunks.items[i];
		if (chunk->run_id != 1 || chunk->kind != CHUNK_SCHEDULER)
			continue;
		struct chunk_writer again = {0};
		put_switch(&again, BASE, 0, 11);
		put_switch(&again, BASE + 100 * US, 11, 0);
		put_switch(&again, BASE + 450 * US, 0, 11);
		put_switch(&again, BASE + 500 * US, 11, 0);
		chunk->events = again.events;
		free(chunk->data.items);
		chunk->data.items = chunk_writer_take(&again, &chunk->data.count);
		chunk_writer_release(&again);
	}
	chunk_writer_add_task(&tasks, &task);
	put_switch(&core, BASE + 300 * US, 0, 12);
	chunk_writer_add_switch(&core, &wake);
	put_switch(&core, BASE + 460 * US, 12, 0);
	add_chunk(recording, 1, CHUNK_TASKS, &tasks);
	add_chunk(recording, 1, CHUNK_SCHEDULER, &core);
	recording->chunks.items[recording->chunks.count - 1].cpu = 1;
	return recording;
}

TEST("a receive was ended by its message, whichever thread an interrupt stopped for it")
{
	AUTO(recording) struct recording *receive = woken_by_thread("recvfrom");
	AUTO(timeline) struct timeline *timeline = timeline_new(receive);
	AUTO(path) struct path *path = path_new(timeline);
	CHECK_EQUAL(path->messages, 2);
	AUTO(recording) struct recording *lock = woken_by_thread("futex");
	AUTO(timeline) struct timeline *other = timeline_new(lock);
	AUTO(path) struct path *local = path_new(other);
	CHECK_EQUAL(local->messages, 0);
	CHECK_EQUAL(local->rows.count, 2);
	CHECK(is_near(local->rows.items[0].class_ns[TIMELINE_RUNNING], 145));
}

TEST("a run without a clock is a timeline of its own")
{
	AUTO(recording) struct recording *recording = two_hosts();
	recording->clocks.count = 0;
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	CHECK_EQUAL(timeline->hosts.count, 0);
	CHECK_EQUAL(timeline->threads.count, 1);
	CHECK_EQUAL(timeline->other_runs, 1);
}
