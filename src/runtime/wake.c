/* SPDX-License-Identifier: BSD-2-Clause */
/* wake - before calls that wake others, or that take a lock: what the caller owes is paid first. */
#include "runtime/wake.h"

#include "runtime/contention.h"
#include "runtime/pause.h"
#include "runtime/progress.h"

static bool may_owe(void)
{
	return thread_self.is_started && !thread_self.guard_depth && pause_is_wanted();
}

static void pay(uint64_t now)
{
	uint64_t cpu = time_of_thread();

	contention_poll(now, cpu);
	pay_delay(PAUSE_MOST_NS, &thread_self.counters->wake_pauses);
	thread_self.cpu_seen_ns += time_of_thread() - cpu; /* no sample has the pause */
	contention_settled(time_now());
}

void pay_before_wake(void)
{
	if (!may_owe())
		return;
	reentrancy_guard_begin();
	uint64_t now = time_now();
	pause_renew();
	if (pause_is_due(now))
		pay(now);
	progress_poll_rarely(now);
	reentrancy_guard_end();
}

void pay_before_lock(void)
{
	if (!may_owe() || !pause_is_long())
		return;
	reentrancy_guard_begin();
	pause_renew();
	if (pause_is_long())
		pay(time_now());
	reentrancy_guard_end();
}

void pay_before_signal(void)
{
	if (!thread_self.is_started || thread_self.guard_depth)
		return;
	pay_before_wake();
	__atomic_store_n(&runtime_page->last_wake_ns, time_now(), __ATOMIC_RELEASE);
}
