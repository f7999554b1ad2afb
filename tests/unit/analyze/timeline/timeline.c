/* SPDX-License-Identifier: BSD-2-Clause */
/* timeline - states, spans and regions of timelines with known truth, made by hand. */
#include "check.h"

#include "analyze/timeline/cores.h"
#include "analyze/timeline/interrupts.h"
#include "analyze/timeline/spans.h"
#include "base/cleanup.h"

#define US 1000ull
#define BASE 1000000ull
#define WORK 1
#define INNER 2
#define HANDED 3
#define BARRIER 4

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)
CLEANUP_DEFINE(timeline, struct timeline *, timeline_free, NULL)
CLEANUP_DEFINE(spans, struct spans *, spans_free, NULL)
CLEANUP_DEFINE(interrupts, struct interrupts *, interrupts_free, NULL)
CLEANUP_DEFINE(cores, struct cores *, cores_free, NULL)

static struct recording *recording_begin(void)
{
	struct recording *recording = memory_new(1, sizeof(*recording));
	static const struct {
		unsigned number;
		const char *text;
	} words[] = {{WORK, "work"},
		     {INNER, "inner"},
		     {HANDED, "handed"},
		     {BARRIER, "barrier at main.c:42"},
		     {RECORDING_STRING_INTERRUPTS + 9, "disk0"},
		     {RECORDING_STRING_SYSTEM_CALLS + 202, "futex"}};
	struct recording_run *run = array_add(&recording->runs);

	run->id = 1;
	run->kind = RUN_TIMELINE;
	run->finished = true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct recording_string *word = array_add(&recording->strings);
		word->id = (int64_t)i + 1;
		word->run_id = 1;
		word->number = words[i].number;
		word->text = text_copy(words[i].text);
	}
	return recording;
}

static void add_chunk(struct recording *recording, enum chunk_kind kind, unsigned track,
		      struct chunk_writer *chunk_writer)
{
	struct recording_chunk *chunk = array_add(&recording->chunks);

	chunk->id = (int64_t)recording->chunks.count;
	chunk->run_id = 1;
	chunk->kind = kind;
	chunk->cpu = kind == CHUNK_SCHEDULER ? track : 0;
	chunk->pid = kind == CHUNK_MARKS ? 10 : 0;
	chunk->tid = kind == CHUNK_MARKS ? track : 0;
	chunk->start_ns = chunk_writer->start_ns;
	chunk->end_ns = chunk_writer->last_ns;
	chunk->events = chunk_writer->events;
	chunk->data.items = chunk_writer_take(chunk_writer, &chunk->data.count);
	chunk_writer_release(chunk_writer);
}

static void put(struct chunk_writer *chunk_writer, uint64_t us, enum mark_kind kind, unsigned word)
{
	struct mark mark = {.time_ns = BASE + us * US, .kind = kind, .name_id = word};
	chunk_writer_add_mark(chunk_writer, &mark);
}

static void put_switch(struct chunk_writer *chunk_writer, uint64_t us, unsigned from, unsigned to,
		       unsigned char flags)
{
	struct switch_event event = {.time_ns = BASE + us * US,
				     .tid = from,
				     .other = to,
				     .kind = SWITCH_SWITCH,
				     .flags = flags,
				     .system_call = flags & SWITCH_TID_OURS ? 202 : SWITCH_NO_CALL,
				     .state = 1};
	chunk_writer_add_switch(chunk_writer, &event);
}

static void put_wake(struct chunk_writer *chunk_writer, uint64_t us, unsigned tid, unsigned by)
{
	struct switch_event event = {.time_ns = BASE + us * US,
				     .tid = tid,
				     .other = by,
				     .kind = SWITCH_WAKE,
				     .flags = SWITCH_TID_OURS | SWITCH_OTHER_OURS,
				     .system_call = 202};
	chunk_writer_add_switch(chunk_writer, &event);
}

TEST("a span's time divides into states of its thread, and a wait has the thread that ended it")
{
	AUTO(recording) struct recording *recording = recording_begin();
	struct chunk_writer core = {0}, marks = {0};
	put_switch(&core, 0, 0, 11, SWITCH_OTHER_OURS);
	put_switch(&core, 40, 11, 12, SWITCH_TID_OURS | SWITCH_OTHER_OURS);
	put_wake(&core, 70, 11, 12);
	put_switch(&core, 80, 12, 11, SWITCH_TID_OURS | SWITCH_OTHER_OURS);
	put_switch(&core, 100, 11, 0, SWITCH_TID_OURS);
	put(&marks, 10, MARK_BEGIN, WORK);
	put(&marks, 20, MARK_BEGIN, INNER);
	put(&marks, 90, MARK_END, INNER);
	put(&marks, 95, MARK_END, WORK);
	add_chunk(recording, CHUNK_SCHEDULER, 0, &core);
	add_chunk(recording, CHUNK_MARKS, 11, &marks);
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	AUTO(spans) struct spans *spans = spans_new(timeline);
	CHECK_EQUAL(spans->rows.count, 2);
	const struct spans_row *row = &spans->rows.items[0];
	CHECK_TEXT(timeline_name(timeline, row->name_id), "work");
	CHECK_EQUAL(row->total_ns, 85 * US);
	CHECK_EQUAL(row->self_ns, 15 * US);
	CHECK_EQUAL(row->class_ns[TIMELINE_RUNNING], 45 * US);
	CHECK_EQUAL(row->class_ns[TIMELINE_LOCK], 30 * US);
	CHECK_EQUAL(row->class_ns[TIMELINE_RUNNABLE], 10 * US);
	CHECK_EQUAL(timeline->cores.items[0].busy_ns, 100 * US);
	const struct spans_wait *wait = NULL;
	for (size_t i = 0; i < spans->waits.count; i++)
		if (timeline->threads.items[spans->waits.items[i].thread].tid == 11)
			wait = &spans->waits.items[i];
	CHECK(wait);
	CHECK_EQUAL(wait->name_id, INNER);
	CHECK_EQUAL(wait->state.waker, 12);
	CHECK_EQUAL(wait->state.end_ns - wait->state.start_ns, 30 * US);
	CHECK_EQUAL(wait->delay_ns, 10 * US);
}

static void put_task(struct chunk_writer *chunk_writer, uint64_t us, enum task_kind kind,
		     unsigned tid, const char *name)
{
	struct task_event event = {
		.time_ns = BASE + us * US, .kind = kind, .tid = tid, .pid = 10, .parent = 10};
	memcpy(event.name, name, strlen(name));
	chunk_writer_add_task(chunk_writer, &event);
}

TEST("of time before a flight recording only the names of threads are known")
{
	AUTO(recording) struct recording *recording = recording_begin();
	struct chunk_writer core = {0}, tasks = {0};
	put_task(&tasks, 0, TASK_EXEC, 10, "program");
	put_task(&tasks, 100, TASK_FORK, 11, "worker");
	put_task(&tasks, 200, TASK_FORK, 12, "gone");
	put_task(&tasks, 300, TASK_EXIT, 12, "gone");
	put_switch(&core, 5000, 11, 0, SWITCH_TID_OURS);
	put_wake(&core, 5010, 10, 0);
	put_switch(&core, 5010, 0, 10, SWITCH_OTHER_OURS);
	put_wake(&core, 5030, 11, 10);
	put_switch(&core, 5040, 10, 11, SWITCH_TID_OURS | SWITCH_OTHER_OURS);
	put_switch(&core, 5100, 11, 0, SWITCH_TID_OURS);
	add_chunk(recording, CHUNK_TASKS, 0, &tasks);
	add_chunk(recording, CHUNK_SCHEDULER, 0, &core);
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	CHECK_EQUAL(timeline->threads.count, 2);
	const struct timeline_thread *program = timeline_thread_of(timeline, 10);
	const struct timeline_thread *worker = timeline_thread_of(timeline, 11);
	CHECK(!timeline_thread_of(timeline, 12));
	CHECK_TEXT(program->name, "program");
	CHECK_TEXT(worker->name, "worker");
	CHECK_EQUAL(worker->start_ns, BASE + 5000 * US);
	CHECK_EQUAL(worker->class_ns[TIMELINE_RUNNABLE], 10 * US);
	CHECK_EQUAL(worker->class_ns[TIMELINE_LOCK], 30 * US);
	CHECK_EQUAL(worker->class_ns[TIMELINE_RUNNING], 60 * US);
	CHECK_EQUAL(program->class_ns[TIMELINE_RUNNING], 30 * US);
	CHECK_EQUAL(program->class_ns[TIMELINE_OTHER], 10 * US);
}

TEST("cores show each thread's innermost span while it ran")
{
	AUTO(recording) struct recording *recording = recording_begin();
	struct chunk_writer core = {0}, marks = {0};
	put_switch(&core, 0, 0, 11, SWITCH_OTHER_OURS);
	put_switch(&core, 50, 11, 0, SWITCH_TID_OURS);
	put(&marks, 10, MARK_BEGIN, WORK);
	put(&marks, 20, MARK_BEGIN, INNER);
	put(&marks, 30, MARK_END, INNER);
	put(&marks, 40, MARK_END, WORK);
	add_chunk(recording, CHUNK_SCHEDULER, 3, &core);
	add_chunk(recording, CHUNK_MARKS, 11, &marks);
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	AUTO(cores) struct cores *cores = cores_new(timeline);
	static const unsigned words[] = {0, WORK, INNER, WORK, 0};
	CHECK_EQUAL(cores->count, 5);
	for (size_t i = 0; i < 5; i++) {
		CHECK_EQUAL(cores->items[i].name_id, words[i]);
		CHECK_EQUAL(cores->items[i].cpu, 3);
		CHECK_EQUAL(cores->items[i].end_ns - cores->items[i].start_ns, 10 * US);
	}
}

/* Rounds of 1 ms: thread 11 works `first` of them, thread 12 `second`, in us. */
static struct recording *rounds_of(unsigned first, unsigned second)
{
	struct recording *recording = recording_begin();
	struct chunk_writer marks[2] = {0};

	for (unsigned i = 0; i < 20; i++)
		for (unsigned thread = 0; thread < 2; thread++) {
			put(&marks[thread], 1000 * i, MARK_BEGIN, WORK);
			put(&marks[thread], 1000 * i + (thread ? second : first), MARK_END, WORK);
		}
	add_chunk(recording, CHUNK_MARKS, 11, &marks[0]);
	add_chunk(recording, CHUNK_MARKS, 12, &marks[1]);
	return recording;
}

TEST("imbalance is how much longer the busiest works than the mean")
{
	AUTO(recording) struct recording *recording = rounds_of(650, 350);
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	AUTO(spans) struct spans *spans = spans_new(timeline);
	CHECK_EQUAL(spans->regions.count, 1);
	CHECK_EQUAL(spans->regions.items[0].instances, 20);
	CHECK_EQUAL(spans->regions.items[0].threads, 2);
	CHECK_NEAR(spans->regions.items[0].imbalance, 0.30, 1e-9);
	CHECK_NEAR(spans->regions.items[0].worst, 0.30, 1e-9);
}

TEST("percentiles are by nearest rank")
{
	AUTO(recording) struct recording *recording = recording_begin();
	struct chunk_writer marks = {0};
	for (unsigned i = 1; i <= 100; i++) {
		put(&marks, 1000 * i, MARK_BEGIN, WORK);
		put(&marks, 1000 * i + i, MARK_END, WORK);
	}
	add_chunk(recording, CHUNK_MARKS, 11, &marks);
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	AUTO(spans) struct spans *spans = spans_new(timeline);
	CHECK_NEAR(spans->rows.items[0].durations.p50_ns, 50.0 * US, 1);
	CHECK_NEAR(spans->rows.items[0].durations.p95_ns, 95.0 * US, 1);
	CHECK_NEAR(spans->rows.items[0].durations.p99_ns, 99.0 * US, 1);
	CHECK_NEAR(spans->rows.items[0].durations.max_ns, 100.0 * US, 1);
}

TEST("a lost end closes with the span around it; a lost begin is counted")
{
	AUTO(recording) struct recording *recording = recording_begin();
	struct chunk_writer marks = {0};
	put(&marks, 0, MARK_BEGIN, WORK);
	put(&marks, 1, MARK_BEGIN, INNER);
	put(&marks, 2, MARK_END, WORK);
	put(&marks, 3, MARK_BEGIN, WORK);
	put(&marks, 4, MARK_BEGIN, INNER);
	put(&marks, 5, MARK_END, INNER);
	put(&marks, 6, MARK_END, INNER);
	put(&marks, 7, MARK_END, WORK);
	add_chunk(recording, CHUNK_MARKS, 11, &marks);
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	AUTO(spans) struct spans *spans = spans_new(timeline);
	CHECK_EQUAL(spans->rows.items[0].name_id, WORK);
	CHECK_EQUAL(spans->rows.items[0].count, 2);
	CHECK_EQUAL(spans->rows.items[0].cut, 0);
	CHECK_EQUAL(spans->rows.items[1].count, 2);
	CHECK_EQUAL(spans->rows.items[1].cut, 1);
	CHECK_EQUAL(spans->unmatched_ends, 1);
}

TEST("work that is handed to another thread does not nest")
{
	AUTO(recording) struct recording *recording = recording_begin();
	struct chunk_writer from = {0}, to = {0};
	for (unsigned i = 0; i < 10; i++) {
		put(&from, 10 * i, MARK_BEGIN, HANDED);
		put(&from, 10 * i + 1, MARK_BEGIN, WORK);
		put(&from, 10 * i + 2, MARK_END, WORK);
		put(&to, 10 * i + 5, MARK_END, HANDED);
	}
	add_chunk(recording, CHUNK_MARKS, 11, &from);
	add_chunk(recording, CHUNK_MARKS, 12, &to);
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	AUTO(spans) struct spans *spans = spans_new(timeline);
	CHECK_EQUAL(spans->rows.count, 1);
	CHECK_EQUAL(spans->rows.items[0].total_ns, 10 * US);
	CHECK_EQUAL(spans->unmatched_ends, 0);
}

TEST("marks of the program and of the kernel are one sequence")
{
	AUTO(recording) struct recording *recording = recording_begin();
	struct chunk_writer program = {0}, kernel = {0};
	for (unsigned i = 0; i < 10; i++) {
		put(&program, 10 * i, MARK_BEGIN, WORK);
		put(&kernel, 10 * i + 2, MARK_BEGIN, INNER);
		put(&kernel, 10 * i + 5, MARK_END, INNER);
		put(&program, 10 * i + 8, MARK_END, WORK);
	}
	add_chunk(recording, CHUNK_MARKS, 11, &program);
	add_chunk(recording, CHUNK_MARKS, 11, &kernel);
	recording->chunks.items[1].cpu = RECORDING_MARKS_KERNEL;
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	AUTO(spans) struct spans *spans = spans_new(timeline);
	CHECK_EQUAL(timeline->threads.count, 1);
	CHECK_EQUAL(spans->rows.count, 2);
	CHECK_EQUAL(spans->rows.items[0].total_ns, 80 * US);
	CHECK_EQUAL(spans->rows.items[0].self_ns, 50 * US);
	CHECK_EQUAL(spans->rows.items[1].total_ns, 30 * US);
	CHECK_EQUAL(spans->unmatched_ends, 0);
}

TEST("a barrier that spins is no work, neither by itself nor in the span around it")
{
	AUTO(recording) struct recording *recording = recording_begin();
	struct chunk_writer marks[2] = {0};
	for (unsigned i = 0; i < 20; i++)
		for (unsigned thread = 0; thread < 2; thread++) {
			put(&marks[thread], 1000 * i, MARK_BEGIN, WORK);
			put(&marks[thread], 1000 * i + (thread ? 350 : 650), MARK_BEGIN, BARRIER);
			put(&marks[thread], 1000 * i + 700, MARK_END, BARRIER);
			put(&marks[thread], 1000 * i + 700, MARK_END, WORK);
		}
	add_chunk(recording, CHUNK_MARKS, 11, &marks[0]);
	add_chunk(recording, CHUNK_MARKS, 12, &marks[1]);
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	AUTO(spans) struct spans *spans = spans_new(timeline);
	CHECK_EQUAL(spans->regions.count, 1);
	CHECK_EQUAL(spans->regions.items[0].name_id, WORK);
	CHECK_NEAR(spans->regions.items[0].imbalance, 0.30, 1e-9);
}

static void put_flow(struct chunk_writer *chunk_writer, uint64_t us, enum mark_kind kind,
		     uint64_t id)
{
	struct mark mark = {.time_ns = BASE + us * US,
			    .kind = kind,
			    .name_id = HANDED,
			    .value = id,
			    .has_value = true};
	chunk_writer_add_mark(chunk_writer, &mark);
}

TEST("a flow goes from the last mark that sends its number to the first that receives it")
{
	AUTO(recording) struct recording *recording = recording_begin();
	struct chunk_writer from = {0}, to = {0};
	put_flow(&from, 0, MARK_FLOW_OUT, 1);
	put_flow(&from, 10, MARK_FLOW_OUT, 2);
	put_flow(&to, 15, MARK_FLOW_IN, 2);
	put_flow(&to, 20, MARK_FLOW_IN, 1);
	put_flow(&to, 25, MARK_FLOW_IN, 1); /* once is enough */
	put_flow(&from, 30, MARK_FLOW_OUT, 1);
	put_flow(&to, 37, MARK_FLOW_IN, 1);
	put_flow(&from, 40, MARK_FLOW_OUT, 3); /* never taken */
	put_flow(&to, 50, MARK_FLOW_IN, 4);    /* never sent */
	add_chunk(recording, CHUNK_MARKS, 11, &from);
	add_chunk(recording, CHUNK_MARKS, 12, &to);
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	AUTO(spans) struct spans *spans = spans_new(timeline);
	CHECK_EQUAL(spans->flows.count, 1);
	CHECK_EQUAL(spans->flows.items[0].count, 3);
	CHECK_EQUAL(spans->flows.items[0].lost, 3);
	CHECK_EQUAL(spans->flows.items[0].total_ns, 32 * US);
	CHECK_NEAR(spans->flows.items[0].durations.p50_ns, 7.0 * US, 1);
	CHECK_NEAR(spans->flows.items[0].durations.max_ns, 20.0 * US, 1);
}

static void put_interrupt(struct chunk_writer *chunk_writer, uint64_t us, unsigned cpu,
			  unsigned number, bool is_entry)
{
	struct interrupt_event event = {.time_ns = BASE + us * US,
					.cpu = cpu,
					.number = number,
					.is_entry = is_entry};
	chunk_writer_add_interrupt(chunk_writer, &event);
}

TEST("nested interrupts count each, and once for their core")
{
	AUTO(recording) struct recording *recording = recording_begin();
	struct chunk_writer chunk_writer = {0};
	put_interrupt(&chunk_writer, 1, 1, 9, false); /* entered before the recording */
	put_interrupt(&chunk_writer, 10, 1, INTERRUPT_SOFT | 1, true);
	put_interrupt(&chunk_writer, 11, 0, 9, true);
	put_interrupt(&chunk_writer, 12, 1, 9, true);
	put_interrupt(&chunk_writer, 14, 1, 9, false);
	put_interrupt(&chunk_writer, 16, 0, 9, false);
	put_interrupt(&chunk_writer, 20, 1, INTERRUPT_SOFT | 1, false);
	add_chunk(recording, CHUNK_INTERRUPTS, 0, &chunk_writer);
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	AUTO(interrupts) struct interrupts *interrupts = interrupts_new(timeline);
	AUTO(text) char *first = interrupts_name(timeline, interrupts->rows.items[0].number);
	AUTO(text) char *second = interrupts_name(timeline, interrupts->rows.items[1].number);
	CHECK_EQUAL(interrupts->rows.count, 2);
	CHECK_TEXT(first, "soft: timer");
	CHECK_EQUAL(interrupts->rows.items[0].total_ns, 10 * US);
	CHECK_TEXT(second, "disk0 (9)");
	CHECK_EQUAL(interrupts->rows.items[1].count, 2);
	CHECK_EQUAL(interrupts->rows.items[1].total_ns, 7 * US);
	CHECK_EQUAL(interrupts->rows.items[1].cpu, 0);
	CHECK_EQUAL(interrupts_of_core(interrupts, 1), 10 * US);
	CHECK_EQUAL(interrupts_of_core(interrupts, 0), 5 * US);
}

TEST("a damaged chunk is counted and left out, whatever its bytes are")
{
	for (unsigned at = 0; at < 40; at++) {
		AUTO(recording) struct recording *recording = rounds_of(650, 350);
		struct recording_chunk *chunk = &recording->chunks.items[0];
		chunk->data.items[at % chunk->data.count] ^= 0x55;
		AUTO(timeline) struct timeline *timeline = timeline_new(recording);
		AUTO(spans) struct spans *spans = spans_new(timeline);
		CHECK(spans->rows.count <= 4);
	}
	AUTO(recording) struct recording *recording = rounds_of(650, 350);
	recording->chunks.items[0].data.count = 3;
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	CHECK(timeline->damaged_chunks > 0);
}

TEST("chunks give back what was packed")
{
	struct chunk_writer chunk_writer = {0};
	struct mark mark = {.time_ns = BASE,
			    .kind = MARK_COUNTER,
			    .name_id = 4095,
			    .has_value = true};
	struct chunk_reader reader;
	size_t size;
	for (uint64_t i = 0; i < 64; i++) {
		mark.time_ns += i;
		mark.value = -(1ull << i);
		chunk_writer_add_mark(&chunk_writer, &mark);
	}
	AUTO(text) char *bytes = (char *)chunk_writer_take(&chunk_writer, &size);
	CHECK(chunk_open(&reader, bytes, size, BASE));
	for (uint64_t i = 0, time_ns = BASE; i < 64; i++) {
		time_ns += i;
		CHECK(chunk_next_mark(&reader, &mark));
		CHECK_EQUAL(mark.time_ns, time_ns);
		CHECK_EQUAL(mark.value, -(1ull << i));
		CHECK_EQUAL(mark.name_id, 4095);
	}
	CHECK(!chunk_next_mark(&reader, &mark));
	CHECK(!reader.is_damaged);
	chunk_close(&reader);
	chunk_writer_release(&chunk_writer);
}
