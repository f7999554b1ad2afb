/* SPDX-License-Identifier: BSD-2-Clause */
/* log_replay - logs with known times, made by hand and replayed. */
#include "analyze/scale/log_replay.h"

#include "base/cleanup.h"
#include "check.h"

#include <math.h>

#define MS 1000000ull
#define BASE 1000000000ull
#define FUTEX 202
#define SLEEP 35
#define POLL 7

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)
CLEANUP_DEFINE(timeline, struct timeline *, timeline_free, NULL)
CLEANUP_DEFINE(log, struct log_replay *, log_replay_free, NULL)

struct log {
	struct chunk_writer cores[4], tasks;
};

static void exec_at(struct log *log, unsigned ms, unsigned tid)
{
	struct task_event event = {.time_ns = BASE + ms * MS,
				   .kind = TASK_EXEC,
				   .pid = tid,
				   .tid = tid};
	chunk_writer_add_task(&log->tasks, &event);
}

static void fork_at(struct log *log, unsigned ms, unsigned pid, unsigned tid, unsigned parent)
{
	struct task_event event = {.time_ns = BASE + ms * MS,
				   .kind = TASK_FORK,
				   .pid = pid,
				   .tid = tid,
				   .parent = parent};
	chunk_writer_add_task(&log->tasks, &event);
}

struct departure {
	unsigned core, ms, tid, next, call;
	unsigned char state; /* 0: it could have run on; 0x10: it is dead */
};

static void leave(struct log *log, struct departure of)
{
	struct switch_event event = {.time_ns = BASE + of.ms * MS,
				     .tid = of.tid,
				     .other = of.next,
				     .kind = SWITCH_SWITCH,
				     .system_call = of.tid ? of.call : SWITCH_NO_CALL,
				     .state = of.state};
	event.flags = (of.tid ? SWITCH_TID_OURS : 0) | (of.next ? SWITCH_OTHER_OURS : 0) |
		      (of.tid && !of.state ? SWITCH_PREEMPTED : 0);
	chunk_writer_add_switch(&log->cores[of.core], &event);
}

static void wake(struct log *log, unsigned core, unsigned ms, unsigned tid, unsigned by)
{
	struct switch_event event = {.time_ns = BASE + ms * MS,
				     .tid = tid,
				     .other = by,
				     .kind = SWITCH_WAKE,
				     .flags = SWITCH_TID_OURS |
					      (by ? SWITCH_OTHER_OURS : SWITCH_INTERRUPT),
				     .system_call = by ? FUTEX : SWITCH_NO_CALL};
	chunk_writer_add_switch(&log->cores[core], &event);
}

static void add_chunk(struct recording *recording, enum chunk_kind kind, unsigned cpu,
		      struct chunk_writer *chunk_writer)
{
	if (!chunk_writer->events)
		return;
	struct recording_chunk *chunk = array_add(&recording->chunks);
	*chunk = (struct recording_chunk){.id = (int64_t)recording->chunks.count,
					  .run_id = 1,
					  .kind = kind,
					  .cpu = cpu,
					  .start_ns = chunk_writer->start_ns,
					  .end_ns = chunk_writer->last_ns,
					  .events = chunk_writer->events};
	chunk->data.items = chunk_writer_take(chunk_writer, &chunk->data.count);
	chunk_writer_release(chunk_writer);
}

static struct recording *recording_of(struct log *log)
{
	static const struct {
		unsigned call;
		const char *name;
	} calls[] = {{FUTEX, "futex"}, {SLEEP, "nanosleep"}, {POLL, "poll"}, {0, "read"}};
	struct recording *recording = memory_new(1, sizeof(*recording));
	*array_add(&recording->runs) =
		(struct recording_run){.id = 1, .kind = RUN_SCALE, .finished = true};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		*array_add(&recording->strings) =
			(struct recording_string){.id = (int64_t)i + 1,
						  .run_id = 1,
						  .number = RECORDING_STRING_SYSTEM_CALLS +
							    calls[i].call,
						  .text = text_copy(calls[i].name)};
	add_chunk(recording, CHUNK_TASKS, 0, &log->tasks);
	for (unsigned i = 0; i < 4; i++)
		add_chunk(recording, CHUNK_SCHEDULER, i, &log->cores[i]);
	return recording;
}

static double run_on(const struct log_replay *log, unsigned cores, double growth)
{
	struct replay_settings settings = {.cores = cores, .growth = growth};
	return replay_run(&log->replay, &settings) / (double)MS;
}

/*
 * On one core: 10 execs at 0, works 100 ms, creates 11, works 20, waits for it. 11 works 200 ms,
 * wakes 10, and ends; 10 works 30 ms more.
 */
static struct recording *fork_and_join(void)
{
	struct log log = {0};
	leave(&log, (struct departure){0, 0, 0, 10, 0, 0});
	exec_at(&log, 0, 10);
	fork_at(&log, 100, 10, 11, 10);
	leave(&log, (struct departure){0, 120, 10, 11, FUTEX, 1});
	wake(&log, 0, 320, 10, 11);
	leave(&log, (struct departure){0, 320, 11, 10, FUTEX, 0x10});
	leave(&log, (struct departure){0, 350, 10, 0, FUTEX, 0x10});
	return recording_of(&log);
}

TEST("a thread begins where its parent creates it, and can be waited for")
{
	AUTO(recording) struct recording *recording = fork_and_join();
	AUTO(timeline)
	struct timeline *timeline = timeline_of_run(recording, &recording->runs.items[0]);
	AUTO(log) struct log_replay *log = log_replay_new(timeline, 1, 0, NULL, NULL);
	CHECK(log);
	CHECK_EQUAL(log->replay.threads.count, 2);
	CHECK_NEAR(log->length_ns, 350e6, 1);
	CHECK_NEAR(run_on(log, 1, 0), 350, 3.1);
	CHECK_NEAR(run_on(log, 2, 0), 100 + 200 + 30, 1e-6);
	CHECK_NEAR(run_on(log, 64, 0), 100 + 200 + 30, 1e-6);
}

TEST("waits for a core and other programs are left out")
{
	struct log log = {0};
	leave(&log, (struct departure){0, 0, 0, 10, 0, 0});
	exec_at(&log, 0, 10);
	leave(&log, (struct departure){0, 50, 10, 0, SWITCH_NO_CALL, 0});
	leave(&log, (struct departure){0, 90, 0, 10, 0, 0});
	leave(&log, (struct departure){0, 150, 10, 0, FUTEX, 0x10});
	AUTO(recording) struct recording *recording = recording_of(&log);
	AUTO(timeline)
	struct timeline *timeline = timeline_of_run(recording, &recording->runs.items[0]);
	AUTO(log) struct log_replay *replayed = log_replay_new(timeline, 1, 0, NULL, NULL);
	CHECK_NEAR(replayed->length_ns, 150e6, 1);
	CHECK_NEAR(run_on(replayed, 1, 0), 110, 1e-6);
}

TEST("work and waits before the exec are left out")
{
	struct log log = {0};
	leave(&log, (struct departure){0, 0, 0, 10, 0, 0});
	leave(&log, (struct departure){0, 10, 10, 0, FUTEX, 1});
	wake(&log, 0, 40, 10, 0);
	leave(&log, (struct departure){0, 40, 0, 10, 0, 0});
	exec_at(&log, 50, 10);
	leave(&log, (struct departure){0, 70, 10, 0, FUTEX, 0x10});
	AUTO(recording) struct recording *recording = recording_of(&log);
	AUTO(timeline)
	struct timeline *timeline = timeline_of_run(recording, &recording->runs.items[0]);
	AUTO(log) struct log_replay *replayed = log_replay_new(timeline, 1, 0, NULL, NULL);
	CHECK_NEAR(replayed->length_ns, 20e6, 1);
	CHECK_NEAR(run_on(replayed, 1, 0), 20, 1e-6);
}

/* 10 waits in the call until 11 wakes it, after two time limits. */
static struct recording *wait_with_limit(unsigned call)
{
	struct log log = {0};
	leave(&log, (struct departure){0, 0, 0, 10, 0, 0});
	exec_at(&log, 0, 10);
	fork_at(&log, 10, 10, 11, 10);
	leave(&log, (struct departure){1, 10, 0, 11, 0, 0});
	leave(&log, (struct departure){0, 20, 10, 0, call, 1});
	for (unsigned ms = 120; ms <= 220; ms += 100) {
		wake(&log, 0, ms, 10, 0);
		leave(&log, (struct departure){0, ms, 0, 10, 0, 0});
		leave(&log, (struct departure){0, ms + 1, 10, 0, call, 1});
	}
	wake(&log, 1, 310, 10, 11);
	leave(&log, (struct departure){0, 312, 0, 10, 0, 0});
	leave(&log, (struct departure){1, 320, 11, 0, FUTEX, 0x10});
	leave(&log, (struct departure){0, 340, 10, 0, FUTEX, 0x10});
	return recording_of(&log);
}

TEST("a wait repeated after each time limit is a wait for the thread that ends the last one")
{
	AUTO(recording) struct recording *recording = wait_with_limit(FUTEX);
	AUTO(timeline)
	struct timeline *timeline = timeline_of_run(recording, &recording->runs.items[0]);
	AUTO(log) struct log_replay *log = log_replay_new(timeline, 2, 0, NULL, NULL);
	CHECK_NEAR(run_on(log, 2, 0), 338, 1e-6);
	/* Half the work of 11 is half the wait. */
	for (size_t i = 0; i < log->replay.threads.count; i++)
		if (log->tids[i] == 11)
			log->replay.threads.items[i].work_factor = 0.5;
	CHECK_NEAR(run_on(log, 2, 0), 10 + 150 + 28, 1e-6);
}

TEST("a sleep keeps its length, whatever ran when it ended")
{
	AUTO(recording) struct recording *recording = wait_with_limit(SLEEP);
	AUTO(timeline)
	struct timeline *timeline = timeline_of_run(recording, &recording->runs.items[0]);
	AUTO(log) struct log_replay *log = log_replay_new(timeline, 2, 0, NULL, NULL);
	for (size_t i = 0; i < log->replay.threads.count; i++)
		log->replay.threads.items[i].work_factor = 0;
	CHECK_NEAR(run_on(log, 2, 0), 100 + 99 + 89, 1e-6);
}

TEST("growth of CPU time is taken off threads that ran at once, and added again")
{
	AUTO(recording) struct recording *recording = wait_with_limit(FUTEX);
	AUTO(timeline)
	struct timeline *timeline = timeline_of_run(recording, &recording->runs.items[0]);
	AUTO(log) struct log_replay *log = log_replay_new(timeline, 2, 0.25, NULL, NULL);
	/* 12 ms of 10 ran beside 11, 10 ms after the fork, and some of its last 28. */
	CHECK_NEAR(run_on(log, 2, 0.25), 338, 3);
	CHECK(run_on(log, 1, 0.25) < 10 + 300 + 10 + 10 + 30 + 10);
}

#define THERE TIMELINE_TIDS /* threads of the second host */
#define READ 0

/*
 * 10 works for 100 ms, asks the other host, whose answer comes 160 ms later, and works for 40 ms.
 * There 10 waits from `from_ms` on, if `waits`, and works until 250. A message takes 10 ms.
 */
static struct timeline *ask_host(struct log *log, struct recording **recording, unsigned from_ms,
				 bool waits)
{
	leave(log, (struct departure){0, 0, 0, 10, 0, 0});
	exec_at(log, 0, 10);
	leave(log, (struct departure){0, 100, 10, 0, READ, 1});
	wake(log, 0, 260, 10, 0);
	leave(log, (struct departure){0, 260, 0, 10, 0, 0});
	leave(log, (struct departure){0, 300, 10, 0, FUTEX, 0x10});
	leave(log, (struct departure){1, 2, 0, THERE + 10, 0, 0});
	exec_at(log, 2, THERE + 10);
	if (waits) {
		leave(log, (struct departure){1, from_ms, THERE + 10, 0, READ, 1});
		wake(log, 1, 110, THERE + 10, 0);
		leave(log, (struct departure){1, 110, 0, THERE + 10, 0, 0});
	}
	leave(log, (struct departure){1, 250, THERE + 10, 0, FUTEX, 0x10});
	*recording = recording_of(log);
	struct timeline *timeline = timeline_of_run(*recording, &(*recording)->runs.items[0]);
	*array_add(&timeline->hosts) = (struct timeline_host){.name = "here"};
	*array_add(&timeline->hosts) = (struct timeline_host){.name = "there"};
	*array_add(&timeline->messages) =
		(struct timeline_message){THERE + 10, 10, BASE + 250 * MS - 1, BASE + 260 * MS + 1};
	*array_add(&timeline->messages) =
		(struct timeline_message){10, THERE + 10, BASE + 100 * MS - 1,
					  BASE + (waits ? 110 : from_ms) * MS + 1};
	return timeline;
}

TEST("a thread that waits for a message from another host waits for the thread that sends it")
{
	struct log log = {0};
	AUTO(recording) struct recording *recording = NULL;
	AUTO(timeline) struct timeline *timeline = ask_host(&log, &recording, 20, true);
	AUTO(log) struct log_replay *replayed = log_replay_new(timeline, 1, 0, NULL, NULL);
	CHECK_EQUAL(replayed->replay.threads.count, 2);
	CHECK_NEAR(replayed->length_ns, 300e6, 1);
	CHECK_NEAR(run_on(replayed, 1, 0), 300, 1e-3);
	for (size_t i = 0; i < 2; i++) {
		struct replay_thread *thread = &replayed->replay.threads.items[i];
		CHECK_EQUAL(thread->host, replayed->tids[i] / THERE);
		CHECK_EQUAL(thread->is_main, !thread->host);
		thread->work_factor = thread->host ? 0.5 : 1;
	}
	/* Half the work there, and the same way. */
	CHECK_NEAR(run_on(replayed, 1, 0), 100 + 10 + 70 + 10 + 40, 1e-3);
}

TEST("a message that was there before it was asked for is waited for, too, if its sender is later")
{
	struct log log = {0};
	AUTO(recording) struct recording *recording = NULL;
	AUTO(timeline) struct timeline *timeline = ask_host(&log, &recording, 115, false);
	AUTO(log) struct log_replay *replayed = log_replay_new(timeline, 1, 0, NULL, NULL);
	CHECK_NEAR(run_on(replayed, 1, 0), 300, 1e-3);
	for (size_t i = 0; i < 2; i++)
		if (replayed->replay.threads.items[i].host)
			replayed->replay.threads.items[i].work_factor = 0;
	CHECK_NEAR(run_on(replayed, 1, 0), 100 + 10 + 10 + 40, 1e-3);
}

TEST("two processes that wait for each other through a pipe are one program")
{
	struct log log = {0};
	leave(&log, (struct departure){0, 0, 0, 10, 0, 0});
	exec_at(&log, 0, 10);
	fork_at(&log, 10, 20, 20, 10);
	leave(&log, (struct departure){0, 30, 10, 20, POLL, 1});
	wake(&log, 0, 130, 10, 20); /* it has written something */
	leave(&log, (struct departure){0, 180, 20, 10, 0, 0});
	leave(&log, (struct departure){0, 280, 10, 20, FUTEX, 1});
	wake(&log, 0, 300, 10, 20); /* it exits */
	leave(&log, (struct departure){0, 300, 20, 10, FUTEX, 0x10});
	leave(&log, (struct departure){0, 310, 10, 0, FUTEX, 0x10});
	AUTO(recording) struct recording *recording = recording_of(&log);
	AUTO(timeline)
	struct timeline *timeline = timeline_of_run(recording, &recording->runs.items[0]);
	AUTO(log) struct log_replay *replayed = log_replay_new(timeline, 1, 0, NULL, NULL);
	CHECK_NEAR(run_on(replayed, 1, 0), 310, 3.1);
	/* 10: 10 + 20; 20: from 10 on 100 until it writes, 70 more; 10 works from 110 to 210. */
	CHECK_NEAR(run_on(replayed, 2, 0), 220, 1e-6);
}

TEST("a faster target shortens the work and the waits in which it was sampled")
{
	/* 10 forks 11 at 100 ms; half of its first 100 ms were in the code, and all of what 11
	 * does. */
	struct recording_target_sample target_samples[] = {{1, 10, BASE + 20 * MS, 25 * MS, false},
							   {1, 10, BASE + 50 * MS, 25 * MS, false},
							   {1, 11, BASE + 320 * MS, 200 * MS,
							    false}};
	struct log_speedup speedup = {target_samples, 1, 0.5};
	AUTO(recording) struct recording *recording = fork_and_join();
	AUTO(timeline)
	struct timeline *timeline = timeline_of_run(recording, &recording->runs.items[0]);
	AUTO(log) struct log_replay *little = log_replay_new(timeline, 1, 0, &speedup, NULL);
	CHECK_NEAR(run_on(little, 2, 0), 330 - 12.5, 1e-6);
	speedup.count = 3;
	AUTO(log) struct log_replay *more = log_replay_new(timeline, 1, 0, &speedup, NULL);
	CHECK_NEAR(run_on(more, 2, 0), 75 + 100 + 30, 1e-6);
	CHECK_NEAR(run_on(more, 1, 0), 75 + 20 + 100 + 30, 3.1);
	AUTO(recording) struct recording *sleeping = wait_with_limit(SLEEP);
	AUTO(timeline)
	struct timeline *other = timeline_of_run(sleeping, &sleeping->runs.items[0]);
	struct recording_target_sample wait = {1, 10, BASE + 120 * MS + 1000, 100 * MS, true};
	struct log_speedup shorter = {&wait, 1, 0.5};
	AUTO(log) struct log_replay *asleep = log_replay_new(other, 2, 0, &shorter, NULL);
	AUTO(log) struct log_replay *before = log_replay_new(other, 2, 0, NULL, NULL);
	CHECK_NEAR(run_on(before, 2, 0) - run_on(asleep, 2, 0), 18, 1e-6); /* 11 runs until 320 */
}

TEST("the part of a sample that exceeds its burst is left out of the next bursts")
{
	struct log log = {0};
	leave(&log, (struct departure){0, 0, 0, 10, 0, 0});
	exec_at(&log, 0, 10);
	for (unsigned ms = 10; ms <= 90; ms += 10) {
		leave(&log, (struct departure){0, ms, 10, 0, SLEEP, 1});
		wake(&log, 0, ms + 5, 10, 0);
		leave(&log, (struct departure){0, ms + 5, 0, 10, 0, 0});
	}
	leave(&log, (struct departure){0, 100, 10, 0, FUTEX, 0x10});
	AUTO(recording) struct recording *recording = recording_of(&log);
	AUTO(timeline)
	struct timeline *timeline = timeline_of_run(recording, &recording->runs.items[0]);
	/* 10 ms of work at first, then 9 times 5: a sample of 30 ms at 28 ms. */
	struct recording_target_sample target_sample = {1, 10, BASE + 28 * MS, 30 * MS, false};
	struct log_speedup speedup = {&target_sample, 1, 0.5};
	AUTO(log) struct log_replay *replayed = log_replay_new(timeline, 1, 0, &speedup, NULL);
	CHECK_NEAR(run_on(replayed, 1, 0), 100 - 15, 1e-6);
}

TEST("stolen time is no work, and shortens no wait")
{
	struct log log = {0};
	leave(&log, (struct departure){0, 0, 0, 10, 0, 0});
	exec_at(&log, 0, 10);
	leave(&log, (struct departure){0, 100, 10, 0, SLEEP, 1});
	wake(&log, 0, 200, 10, 0);
	leave(&log, (struct departure){0, 200, 0, 10, 0, 0});
	leave(&log, (struct departure){0, 300, 10, 0, FUTEX, 0x10});
	AUTO(recording) struct recording *recording = recording_of(&log);
	AUTO(timeline)
	struct timeline *timeline = timeline_of_run(recording, &recording->runs.items[0]);
	/* Half of 50 ms of work, and a tenth of 50 ms asleep and 50 of work. */
	const struct log_steal steals[] = {{20 * MS, 50 * MS, 0.5}, {150 * MS, 100 * MS, 0.1}};
	AUTO(log)
	struct log_replay *replayed =
		log_replay_new(timeline, 1, 0, NULL, &(struct log_steals){steals, 2});
	CHECK_NEAR(run_on(replayed, 1, 0), 300 - 25 - 5, 1e-6);
}

TEST("a log in which nothing was executed has no replay")
{
	struct log log = {0};
	leave(&log, (struct departure){0, 0, 0, 10, 0, 0});
	leave(&log, (struct departure){0, 10, 10, 0, FUTEX, 0x10});
	AUTO(recording) struct recording *recording = recording_of(&log);
	AUTO(timeline)
	struct timeline *timeline = timeline_of_run(recording, &recording->runs.items[0]);
	CHECK(!log_replay_new(timeline, 1, 0, NULL, NULL));
}
