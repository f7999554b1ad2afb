/* SPDX-License-Identifier: BSD-2-Clause */
/* What a task does between two waits, after a timer has ended one (wire/delay_turn.h). */
#include "wire/delay_turn.h"

#include "check.h"

#define NAP_NS 6400000
#define GROWN_NS 3000000
#define BRIEF_NS (NAP_NS / DELAY_BRIEF_SHARE)

/* One core and one task, which naps; G grows by GROWN_NS in each nap. */
struct napper {
	struct delay_settings settings;
	struct delay_core core;
	struct delay_turn turn;
	struct delay_task task;
	__u64 now_ns, global_ns;
	bool core_is_wanted;
};

static struct napper napper_begin(void)
{
	return (struct napper){.settings = {.generation = 1},
			       .core = {.local = {.generation = 1}},
			       .task = {.is_seen = 1, .generation = 1}};
}

static __s64 gap(const struct napper *napper)
{
	return delay_gap(&napper->core.local, &napper->settings, napper->global_ns);
}

static void leave(struct napper *napper, bool is_blocked)
{
	delay_turn_end(&napper->turn, &napper->core, &napper->task, is_blocked, napper->now_ns);
	delay_leave(&napper->task, &napper->settings, gap(napper), is_blocked, napper->global_ns,
		    napper->now_ns);
}

static void enter(struct napper *napper)
{
	struct delay_entry entry = {.now_ns = napper->now_ns,
				    .global_ns = napper->global_ns,
				    .core_was_idle = true,
				    .is_member = true,
				    .core_is_wanted = napper->core_is_wanted};
	int next = delay_enter(&napper->core.local, &napper->task, &napper->settings, &entry);

	delay_turn_begin(&napper->turn, &napper->core, &napper->task, next & DELAY_BY_TIMER,
			 &entry);
}

/* Returns what the task owes on its core then. */
static __s64 nap_for(struct napper *napper, enum delay_waker waker, __u64 length_ns)
{
	leave(napper, true);
	napper->now_ns += length_ns;
	napper->global_ns += GROWN_NS;
	delay_wake(&napper->task, waker, 0, napper->global_ns, napper->now_ns);
	enter(napper);
	return gap(napper);
}

static __s64 nap(struct napper *napper, enum delay_waker waker)
{
	return nap_for(napper, waker, NAP_NS);
}

/* Pays what is owed, and runs. */
static void run(struct napper *napper, __u64 length_ns)
{
	__s64 due = delay_not_negative(gap(napper));

	delay_pay(&napper->core.local, (__u64)due);
	napper->core.paused_ns += (__u64)due;
	napper->now_ns += (__u64)due + length_ns;
}

/* After a brief turn. */
static struct napper brief_napper(void)
{
	struct napper napper = napper_begin();

	CHECK_EQUAL(nap(&napper, DELAY_WAKER_TIMER), GROWN_NS);
	run(&napper, BRIEF_NS / 2);
	return napper;
}

TEST("a task whose last turn was brief owes nothing when a timer wakes it, however often")
{
	struct napper napper = brief_napper();

	for (int i = 0; i < 5; i++) {
		CHECK_EQUAL(nap(&napper, DELAY_WAKER_TIMER), 0);
		run(&napper, BRIEF_NS / 2);
	}
}

TEST("a task that a device wakes owes all, also after brief turns")
{
	struct napper napper = brief_napper();

	CHECK_EQUAL(nap(&napper, DELAY_WAKER_EXTERNAL), GROWN_NS);
}

TEST("the debt of one nap is owed once the task wakes another, and the next nap's, too")
{
	struct napper napper = brief_napper();

	nap(&napper, DELAY_WAKER_TIMER);
	delay_turn_act(&napper.turn, &napper.core);
	CHECK_EQUAL(gap(&napper), GROWN_NS);
	run(&napper, 0);
	CHECK_EQUAL(nap(&napper, DELAY_WAKER_TIMER), GROWN_NS);
}

TEST("a task with three brief turns in a row may wake another once")
{
	struct napper napper = brief_napper();

	for (int i = 0; i < 3; i++) {
		nap(&napper, DELAY_WAKER_TIMER);
		run(&napper, 0);
	}
	delay_turn_act(&napper.turn, &napper.core);
	CHECK_EQUAL(nap(&napper, DELAY_WAKER_TIMER), 0);
	delay_turn_act(&napper.turn, &napper.core);
	run(&napper, 0);
	CHECK_EQUAL(nap(&napper, DELAY_WAKER_TIMER), GROWN_NS);
}

TEST("a task that a timer wakes owes nothing of its nap if another needs the core, also later")
{
	struct napper napper = napper_begin();

	napper.core_is_wanted = true;
	CHECK_EQUAL(nap(&napper, DELAY_WAKER_TIMER), 0);
	run(&napper, NAP_NS);
	delay_turn_tick(&napper.turn, &napper.core, napper.now_ns);
	delay_turn_act(&napper.turn, &napper.core);
	CHECK_EQUAL(gap(&napper), 0);
}

TEST("so it is after brief turns, also if it then wakes another")
{
	struct napper napper = brief_napper();

	napper.core_is_wanted = true;
	CHECK_EQUAL(nap(&napper, DELAY_WAKER_TIMER), 0);
	delay_turn_act(&napper.turn, &napper.core);
	CHECK_EQUAL(gap(&napper), 0);
}

#define SHORT_NAP_NS 155000

/* It has gone on after a short nap, and then looks twice. */
static struct napper poller(void)
{
	struct napper napper = napper_begin();

	nap_for(&napper, DELAY_WAKER_TIMER, SHORT_NAP_NS);
	run(&napper, SHORT_NAP_NS);
	nap_for(&napper, DELAY_WAKER_TIMER, SHORT_NAP_NS);
	run(&napper, 1000);
	return napper;
}

TEST("a task that polls owes each of its short naps, if no other needs the core")
{
	struct napper napper = poller();

	CHECK_EQUAL(nap_for(&napper, DELAY_WAKER_TIMER, SHORT_NAP_NS), GROWN_NS);
	run(&napper, 1000);
	napper.core_is_wanted = true;
	CHECK_EQUAL(nap_for(&napper, DELAY_WAKER_TIMER, SHORT_NAP_NS), 0);
}

TEST("it polls no more after a long nap, or after many looks without going on")
{
	struct napper napper = poller();

	nap(&napper, DELAY_WAKER_TIMER);
	run(&napper, 1000);
	CHECK_EQUAL(nap_for(&napper, DELAY_WAKER_TIMER, SHORT_NAP_NS), 0);
	napper = poller();
	for (int i = 0; i < DELAY_LOOKS; i++) {
		nap_for(&napper, DELAY_WAKER_TIMER, SHORT_NAP_NS);
		run(&napper, 1000);
	}
	CHECK_EQUAL(nap_for(&napper, DELAY_WAKER_TIMER, SHORT_NAP_NS), 0);
}

TEST("what it owed before the nap, and what a device's wait has left, it owes all the same")
{
	struct napper napper = napper_begin();

	napper.core_is_wanted = true;
	napper.global_ns += 1000; /* the target runs elsewhere */
	CHECK_EQUAL(nap(&napper, DELAY_WAKER_TIMER), 1000);
	run(&napper, 0);
	CHECK_EQUAL(nap(&napper, DELAY_WAKER_EXTERNAL), GROWN_NS);
}

TEST("a tick finds a task that runs for longer than a brief turn: it owes what was suspended")
{
	struct napper napper = brief_napper();

	nap(&napper, DELAY_WAKER_TIMER);
	run(&napper, BRIEF_NS);
	delay_turn_tick(&napper.turn, &napper.core, napper.now_ns);
	CHECK_EQUAL(gap(&napper), 0);
	run(&napper, 1);
	delay_turn_tick(&napper.turn, &napper.core, napper.now_ns);
	CHECK_EQUAL(gap(&napper), GROWN_NS);
	run(&napper, 0);
	CHECK_EQUAL(nap(&napper, DELAY_WAKER_TIMER), GROWN_NS);
}

TEST("pauses are no part of a turn")
{
	struct napper napper = napper_begin();

	nap(&napper, DELAY_WAKER_TIMER);
	CHECK(GROWN_NS > BRIEF_NS);
	run(&napper, BRIEF_NS / 2);
	CHECK_EQUAL(nap(&napper, DELAY_WAKER_TIMER), 0);
}

TEST("a turn goes on after the task was preempted")
{
	struct napper napper = brief_napper();

	nap(&napper, DELAY_WAKER_TIMER);
	run(&napper, BRIEF_NS / 2);
	leave(&napper, false);
	CHECK_EQUAL(napper.task.gap_ns, GROWN_NS);
	enter(&napper);
	CHECK_EQUAL(gap(&napper), 0);
	run(&napper, BRIEF_NS / 2 + 1);
	delay_turn_tick(&napper.turn, &napper.core, napper.now_ns);
	CHECK_EQUAL(gap(&napper), GROWN_NS);
}

TEST("a task that waits for another after a timer keeps its debt, and is no longer brief")
{
	struct napper napper = brief_napper();

	nap(&napper, DELAY_WAKER_TIMER);
	run(&napper, BRIEF_NS / 2);
	leave(&napper, true);
	CHECK_EQUAL(napper.task.gap_ns, GROWN_NS);
	napper.now_ns += 1000;
	delay_wake(&napper.task, DELAY_WAKER_TASK, 0, napper.global_ns, napper.now_ns);
	enter(&napper);
	CHECK_EQUAL(gap(&napper), GROWN_NS - 1000);
	run(&napper, 0);
	CHECK_EQUAL(nap(&napper, DELAY_WAKER_TIMER), GROWN_NS);
}
