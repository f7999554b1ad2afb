/* SPDX-License-Identifier: BSD-2-Clause */
/* global_delay - G and the number of threads that wait in the target, in the shared page. */
#include "runtime/global_delay.h"

#include "wire/delay_waiters.h"

const struct delay_settings *global_delay_settings(void)
{
	return &runtime_page->settings.delay;
}

uint64_t global_delay_written(void)
{
	return __atomic_load_n(&runtime_page->delay_ns, __ATOMIC_ACQUIRE);
}

/* Brings G up to `now`. */
static void waiters_advance(uint64_t now)
{
	const struct delay_settings *settings = global_delay_settings();
	uint64_t waiters = __atomic_load_n(&runtime_page->waiters, __ATOMIC_ACQUIRE);
	__u64 last = __atomic_load_n(&runtime_page->waiters_updated_ns, __ATOMIC_ACQUIRE);
	uint64_t since = last;

	if (!delay_growth_is_due(settings, waiters, since, now) ||
	    !__atomic_compare_exchange_n(&runtime_page->waiters_updated_ns, &last, now, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	uint64_t growth = delay_growth(settings, waiters, since, now);
	__atomic_fetch_add(&runtime_page->waiters_delay_ns, growth, __ATOMIC_RELAXED);
	__atomic_fetch_add(&runtime_page->delay_ns, growth, __ATOMIC_RELEASE);
}

uint64_t global_delay(uint64_t now)
{
	waiters_advance(now);
	return global_delay_written();
}

void global_delay_wait_begin(uint32_t level, uint64_t now)
{
	uint32_t generation = global_delay_settings()->generation;
	__u64 old = __atomic_load_n(&runtime_page->waiters, __ATOMIC_ACQUIRE);

	waiters_advance(now);
	for (int i = 0; i < 64; i++) {
		if (!delay_has_waiters(old, generation))
			__atomic_store_n(&runtime_page->waiters_updated_ns, now, __ATOMIC_RELEASE);
		uint64_t joined = delay_waiters_joined(old, level, generation);
		if (joined == old)
			return;
		if (__atomic_compare_exchange_n(&runtime_page->waiters, &old, joined, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			thread_self.joined_generation = generation;
			thread_self.joined_level = level;
			return;
		}
	}
}

bool global_delay_wait_end(uint64_t now)
{
	uint32_t joined = thread_self.joined_generation;
	__u64 old = __atomic_load_n(&runtime_page->waiters, __ATOMIC_ACQUIRE);

	thread_self.joined_generation = 0;
	waiters_advance(now);
	for (int i = 0; joined && i < 64; i++) {
		if (!delay_waiters_has(old, joined, global_delay_settings()->generation))
			return false;
		uint64_t left = old - delay_waiter(thread_self.joined_level);
		if (__atomic_compare_exchange_n(&runtime_page->waiters, &old, left, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return true;
	}
	return false;
}
