/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * delay_turn - what a task of the kernel engine does after a timer has ended its wait.
 *
 * A timer goes by the wall clock, however long the program has paused. So the task owes the growth
 * of G while it waited: without a pause it would still wait. But its core pays by spinning, though
 * a task that waits needs no core, and others may need this one. Where the task's last turns were
 * brief, the debt is suspended: nobody notices that the task comes too early. It is owed again when
 * the task wakes another, makes a visit, or runs for longer, and dropped when the next timer comes.
 * Where another task waits for a core, the debt is dropped at once: paid here, it would keep that
 * task from its work, and nothing of that would be a pause of all. So such a program's naps keep to
 * the wall clock. A thread of the runtime engine sleeps on instead.
 *
 * A task that polls, with short naps, does nothing else in brief turns, and what it sees decides
 * when it goes on. So on a core that was idle, and that no other needs, its debt is not suspended.
 */
#pragma once

#include "wire/delay_core.h"

#define DELAY_BRIEF_SHARE 64 /* of the wait before it, which a brief turn takes at most */
#define DELAY_BRIEF_LEAST 1  /* brief turns in a row after which the next is expected to be one */
#define DELAY_BRIEF_MOST 3   /* after so many, also where the last one was not */
#define DELAY_NAP_MOST_NS 1000000 /* a short nap */
#define DELAY_LOOK_SHARE 8        /* of the nap before it: in a shorter turn a task only looks */
#define DELAY_LOOKS 64 /* short naps for which a task polls after it has gone on after one */

/* The current task's turn on a core. Written on that core. */
struct delay_turn {
	__u64 begin_ns, paused_at_begin_ns;
	__u64 brief_ns;     /* a brief turn is no longer; 0: no timer has begun the turn */
	__u64 suspended_ns; /* of its debt */
	__u32 has_acted;    /* it woke another task of the program, or made a visit */
	__u32 nap_ns;       /* the short nap before it; 0: none */
};
_Static_assert(sizeof(struct delay_turn) == 40, "delay_turn layout");

/* How long the task has run, without pauses. */
DELAY_RULE __u64 delay_turn_length(const struct delay_turn *turn, const struct delay_core *core,
				   __u64 now)
{
	__s64 length = now - turn->begin_ns - (core->paused_ns - turn->paused_at_begin_ns);

	return delay_not_negative(length);
}

/* The suspended debt is owed. */
DELAY_RULE void delay_turn_resume(struct delay_turn *turn, struct delay_core *core)
{
	core->local.delay_ns -= turn->suspended_ns;
	turn->suspended_ns = 0;
}

/* After delay_enter. `is_by_timer`: of a task that pays. A task that was preempted goes on. */
DELAY_RULE void delay_turn_begin(struct delay_turn *turn, struct delay_core *core,
				 struct delay_task *task, bool is_by_timer,
				 const struct delay_entry *entry)
{
	__u64 waited = task->woken_ns - task->left_ns;
	__s64 gap = entry->global_ns - core->local.delay_ns;
	__s64 grown = entry->global_ns - task->delay_at_leave_ns;

	turn->begin_ns = entry->now_ns;
	turn->paused_at_begin_ns = core->paused_ns;
	turn->brief_ns = is_by_timer       ? waited / DELAY_BRIEF_SHARE :
			 !task->is_blocked ? task->brief_left_ns :
					     0;
	turn->nap_ns = is_by_timer && task->wait_ns < DELAY_NAP_MOST_NS ? task->wait_ns : 0;
	if (is_by_timer && !turn->nap_ns)
		task->looks_left = 0;
	turn->has_acted = 0;
	turn->suspended_ns = 0;
	if (task->is_blocked && !is_by_timer)
		task->brief_turns = 0;
	if (!turn->brief_ns || gap <= 0)
		return;
	__s64 of_nap = is_by_timer && grown < gap ? grown : gap;
	bool is_dropped = is_by_timer && entry->core_is_wanted;
	if (task->looks_left && entry->core_was_idle && !entry->core_is_wanted)
		return;
	if (task->brief_turns >= DELAY_BRIEF_LEAST) {
		core->local.delay_ns = entry->global_ns;
		turn->suspended_ns = is_dropped ? 0 : of_nap;
	} else if (is_dropped) {
		core->local.delay_ns += of_nap;
	}
}

/* The task wakes another, or makes a visit: before it pays for that. */
DELAY_RULE void delay_turn_act(struct delay_turn *turn, struct delay_core *core)
{
	turn->has_acted = 1;
	delay_turn_resume(turn, core);
}

/* At a tick, before the core pays. */
DELAY_RULE void delay_turn_tick(struct delay_turn *turn, struct delay_core *core, __u64 now)
{
	if (turn->suspended_ns && delay_turn_length(turn, core, now) > turn->brief_ns)
		delay_turn_resume(turn, core);
}

/*
 * The length of the nap before a turn in which the task went on with its work; 0 after a longer
 * one, and where it napped again at once, or did nothing that takes time. A task that polls goes on
 * when it has found what it looks for.
 */
DELAY_RULE __u32 delay_turn_nap(const struct delay_turn *turn, bool is_blocked, __u64 length)
{
	bool only_looked =
		!turn->has_acted && is_blocked && length < turn->nap_ns / DELAY_LOOK_SHARE;

	return only_looked ? 0 : turn->nap_ns;
}

/*
 * Before delay_leave. A task that is preempted goes on with its turn later. Returns the length of a
 * short nap after which it went on (delay_turn_nap), or 0.
 */
DELAY_RULE __u32 delay_turn_end(struct delay_turn *turn, struct delay_core *core,
				struct delay_task *task, bool is_blocked, __u64 now)
{
	__u64 length = delay_turn_length(turn, core, now);
	__u64 left = length < turn->brief_ns ? turn->brief_ns - length : 0;
	__u32 nap_ns = delay_turn_nap(turn, is_blocked, length);

	task->brief_left_ns = is_blocked || turn->has_acted ? 0 : left < ~0u ? left : ~0u;
	if (nap_ns)
		task->looks_left = DELAY_LOOKS;
	else if (turn->nap_ns)
		task->looks_left -= task->looks_left > 0;
	if (!turn->brief_ns)
		return nap_ns;
	bool is_brief = left && !turn->has_acted;
	if (is_brief && is_blocked)
		task->brief_turns += task->brief_turns < DELAY_BRIEF_MOST;
	else if (!is_brief)
		task->brief_turns = left && task->brief_turns == DELAY_BRIEF_MOST;
	delay_turn_resume(turn, core);
	turn->brief_ns = 0;
	return nap_ns;
}
