/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of stats/replay.h on programs whose time on any number of cores can be worked out by hand.
 */
#include "stats/replay.h"

#include "check.h"

#include <math.h>

#define MS 1e6

static struct replay_thread *add_main(struct replay *replay)
{
	struct replay_thread *thread = replay_add_thread(replay);

	thread->is_main = true;
	return thread;
}

static void work(struct replay_thread *thread, double ms)
{
	replay_add_step(thread, REPLAY_WORK, ms * MS, 0);
}

static double run_on(const struct replay *replay, unsigned cores)
{
	struct replay_settings settings = {.cores = cores};
	return replay_run(replay, &settings) / MS;
}

TEST("independent threads share the cores fairly")
{
	struct replay replay = {0};
	for (int i = 0; i < 4; i++)
		work(add_main(&replay), 300);
	CHECK_NEAR(run_on(&replay, 1), 1200, 1e-6);
	CHECK_NEAR(run_on(&replay, 2), 600, 1e-6);
	CHECK_NEAR(run_on(&replay, 4), 300, 1e-6);
	CHECK_NEAR(run_on(&replay, 64), 300, 1e-6);
	/*
	 * 1200 ms of work on 3 cores take 400, as all four go on in slices; one may end up alone.
	 */
	double three = run_on(&replay, 3);
	CHECK(three >= 400 - 1e-6 && three < 404);
	replay_clear(&replay);
}

TEST("a thread that waits for a signal continues when it is given")
{
	struct replay replay = {.events = 1};
	struct replay_thread *first = add_main(&replay);
	work(first, 100);
	replay_add_step(first, REPLAY_SIGNAL, 0, 0);
	work(first, 50);
	struct replay_thread *second = add_main(&replay);
	replay_add_step(second, REPLAY_WAIT, 0, 0);
	work(second, 70);
	CHECK_NEAR(run_on(&replay, 1), 220, 1e-6);
	CHECK_NEAR(run_on(&replay, 2), 170, 1e-6);
	replay_clear(&replay);
}

TEST("a thread does not wait for a signal that was already given")
{
	struct replay replay = {.events = 1};
	struct replay_thread *first = add_main(&replay);
	replay_add_step(first, REPLAY_SIGNAL, 0, 0);
	work(first, 10);
	struct replay_thread *second = add_main(&replay);
	work(second, 100);
	replay_add_step(second, REPLAY_WAIT, 0, 0);
	work(second, 100);
	CHECK_NEAR(run_on(&replay, 2), 200, 1e-6);
	CHECK_NEAR(run_on(&replay, 1), 210, 1e-6);
	replay_clear(&replay);
}

TEST("Amdahl's law: a serial part, then three workers, then a serial part again")
{
	struct replay replay = {.events = 6};
	struct replay_thread *first = add_main(&replay);
	work(first, 60);
	for (uint32_t i = 0; i < 3; i++)
		replay_add_step(first, REPLAY_SIGNAL, 0, i);
	for (uint32_t i = 0; i < 3; i++)
		replay_add_step(first, REPLAY_WAIT, 0, 3 + i);
	work(first, 40);
	for (uint32_t i = 0; i < 3; i++) {
		struct replay_thread *worker = replay_add_thread(&replay);
		replay_add_step(worker, REPLAY_WAIT, 0, i);
		work(worker, 90);
		replay_add_step(worker, REPLAY_SIGNAL, 0, 3 + i);
	}
	CHECK_NEAR(run_on(&replay, 1), 60 + 270 + 40, 1e-6);
	CHECK_NEAR(run_on(&replay, 2), 60 + 135 + 40, 3.1);
	CHECK_NEAR(run_on(&replay, 3), 60 + 90 + 40, 1e-6);
	CHECK_NEAR(run_on(&replay, 16), 60 + 90 + 40, 1e-6);
	replay_clear(&replay);
}

TEST("sleep takes the same time on any number of cores, and leaves the core to others")
{
	struct replay replay = {0};
	struct replay_thread *sleeper = add_main(&replay);
	work(sleeper, 10);
	replay_add_step(sleeper, REPLAY_SLEEP, 100 * MS, 0);
	work(sleeper, 10);
	work(add_main(&replay), 60);
	CHECK_NEAR(run_on(&replay, 2), 120, 1e-6);
	/* On one core they take turns in slices before the sleep. */
	double one = run_on(&replay, 1);
	CHECK(one >= 120 && one <= 135);
	replay_clear(&replay);
}

TEST("a pipeline takes as long as its slower stage, once there are cores for both")
{
	struct replay replay = {.events = 50};
	struct replay_thread *maker = add_main(&replay), *user;
	for (uint32_t i = 0; i < 50; i++) {
		work(maker, 2);
		replay_add_step(maker, REPLAY_SIGNAL, 0, i);
	}
	user = add_main(&replay);
	for (uint32_t i = 0; i < 50; i++) {
		replay_add_step(user, REPLAY_WAIT, 0, i);
		work(user, 5);
	}
	CHECK_NEAR(run_on(&replay, 1), 350, 1e-6);
	CHECK_NEAR(run_on(&replay, 2), 252, 1e-6);
	replay_clear(&replay);
}

TEST("growth of CPU time slows down what runs at once, and nothing else")
{
	struct replay replay = {0};
	struct replay_settings settings = {.cores = 2, .growth = 0.5};
	work(add_main(&replay), 100);
	work(add_main(&replay), 200);
	/* Both run for 150 ms and do 100 each; the second goes on alone. */
	CHECK_NEAR(replay_run(&replay, &settings) / MS, 250, 1e-6);
	settings.cores = 1;
	CHECK_NEAR(replay_run(&replay, &settings) / MS, 300, 1e-6);
	replay_clear(&replay);
}

TEST("a woken thread starts after a delay on an idle core, without one on a busy core")
{
	struct replay replay = {.events = 2};
	struct replay_settings settings = {.cores = 2, .wake_delay_ns = 5 * MS};
	struct replay_thread *one = add_main(&replay);
	work(one, 10);
	replay_add_step(one, REPLAY_SIGNAL, 0, 0);
	replay_add_step(one, REPLAY_WAIT, 0, 1);
	struct replay_thread *other = add_main(&replay);
	replay_add_step(other, REPLAY_WAIT, 0, 0);
	work(other, 10);
	replay_add_step(other, REPLAY_SIGNAL, 0, 1);
	CHECK_NEAR(replay_run(&replay, &settings) / MS, 30, 1e-6);
	settings.cores = 1;
	CHECK_NEAR(replay_run(&replay, &settings) / MS, 20, 1e-6);
	replay_clear(&replay);
}

TEST("work and sleep may be made shorter, thread by thread")
{
	struct replay replay = {0};
	struct replay_thread *one = add_main(&replay), *other;
	work(one, 100);
	replay_add_step(one, REPLAY_SLEEP, 100 * MS, 0);
	one->work_factor = 0.5;
	one->sleep_factor = 0.25;
	other = add_main(&replay);
	work(other, 80);
	CHECK_NEAR(run_on(&replay, 2), 80, 1e-6);
	one->work_factor = 0;
	one->sleep_factor = 0;
	CHECK_NEAR(run_on(&replay, 1), 80, 1e-6);
	replay_clear(&replay);
}

TEST("the program ends with its main threads, whatever others still do")
{
	struct replay replay = {.events = 1};
	work(add_main(&replay), 50);
	work(replay_add_thread(&replay), 500);
	struct replay_thread *forever = replay_add_thread(&replay);
	replay_add_step(forever, REPLAY_WAIT, 0, 0);
	CHECK_NEAR(run_on(&replay, 2), 50, 1e-6);
	replay_clear(&replay);
}

TEST("a wait for a signal that is never given ends the simulation without a time")
{
	struct replay replay = {.events = 1};
	struct replay_thread *thread = add_main(&replay);
	work(thread, 10);
	replay_add_step(thread, REPLAY_WAIT, 0, 0);
	CHECK(isnan(run_on(&replay, 2)));
	replay_clear(&replay);
}

TEST("without threads there is no time")
{
	struct replay replay = {0};
	CHECK_NEAR(run_on(&replay, 1), 0, 0);
}

TEST("each host has cores of its own")
{
	struct replay replay = {0};
	for (unsigned i = 0; i < 4; i++) {
		struct replay_thread *thread = add_main(&replay);
		thread->host = i / 2;
		work(thread, thread->host ? 300 : 100);
	}
	CHECK_NEAR(run_on(&replay, 1), 600, 1e-6);
	CHECK_NEAR(run_on(&replay, 2), 300, 1e-6);
	unsigned more_here[] = {2, 1}, more_there[] = {1, 2};
	struct replay_settings here = {.host_cores = more_here};
	struct replay_settings there = {.host_cores = more_there};
	CHECK_NEAR(replay_run(&replay, &here) / MS, 600, 1e-6);
	CHECK_NEAR(replay_run(&replay, &there) / MS, 300, 1e-6);
	/* Growth is by the threads of the same host. */
	struct replay_settings grown = {.host_cores = more_there, .growth = 0.5};
	CHECK_NEAR(replay_run(&replay, &grown) / MS, 450, 1e-6);
	replay_clear(&replay);
}

TEST("a signal that is on its way is given when it arrives")
{
	struct replay replay = {.events = 2};
	struct replay_thread *first = add_main(&replay);
	work(first, 100);
	replay_add_step(first, REPLAY_SIGNAL, 40 * MS, 0);
	work(first, 10);
	replay_add_step(first, REPLAY_WAIT, 0, 1);
	struct replay_thread *second = add_main(&replay);
	second->host = 1;
	replay_add_step(second, REPLAY_WAIT, 0, 0);
	work(second, 70);
	replay_add_step(second, REPLAY_SIGNAL, 40 * MS, 1);
	CHECK_NEAR(run_on(&replay, 1), 250, 1e-6);
	/* One that has come before the wait ends it at once. */
	replay.threads.items[1].steps.items[0].kind = REPLAY_SLEEP;
	replay.threads.items[1].steps.items[0].amount_ns = 0;
	CHECK_NEAR(run_on(&replay, 1), 110, 1e-6);
	replay_clear(&replay);
}

TEST("a waker that yields runs after the thread that it woke, unless there is a core for both")
{
	struct replay replay = {.events = 1};
	struct replay_thread *first = add_main(&replay);
	work(first, 10);
	replay_add_step(first, REPLAY_SIGNAL, 0, 0);
	replay_add_step(first, REPLAY_YIELD, 0, 0);
	work(first, 2);
	struct replay_thread *second = replay_add_thread(&replay);
	replay_add_step(second, REPLAY_WAIT, 0, 0);
	work(second, 1);
	CHECK_NEAR(run_on(&replay, 1), 13, 1e-6);
	CHECK_NEAR(run_on(&replay, 2), 12, 1e-6);
	first->steps.items[2].kind = REPLAY_SLEEP;
	CHECK_NEAR(run_on(&replay, 1), 12, 1e-6);
	replay_clear(&replay);
}
