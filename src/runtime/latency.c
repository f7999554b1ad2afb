/* SPDX-License-Identifier: BSD-2-Clause */
/* latency - the integral of open spans over effective time (COZ, section 3.3), as bpf/latency.h. */
#include "runtime/latency.h"

#include "runtime/pause.h"

/* Open spans of pair i. */
static int64_t pair_open(uint32_t i)
{
	uint32_t begin = runtime_page->settings.pairs[i].begin & (WIRE_POINTS_MOST - 1);
	uint32_t end = runtime_page->settings.pairs[i].end & (WIRE_POINTS_MOST - 1);
	uint64_t ended = __atomic_load_n(&runtime_page->points[end].total, __ATOMIC_ACQUIRE);
	uint64_t begun = __atomic_load_n(&runtime_page->points[begin].total, __ATOMIC_ACQUIRE);
	int64_t open = (int64_t)(begun - ended);
	return open > 0 ? open : 0;
}

static void latency_add(int64_t time)
{
	struct runtime_counters *counters = thread_self.counters;

	__atomic_fetch_add(&counters->pair_weight_ns, time, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < WIRE_PAIRS_MOST && i < runtime_page->settings.pair_count; i++)
		__atomic_fetch_add(&counters->pair_ns[i], pair_open(i) * time, __ATOMIC_RELAXED);
}

void latency_update(uint64_t now)
{
	const struct wire_settings *settings = &runtime_page->settings;
	__u64 last = __atomic_load_n(&runtime_page->latency_updated_ns, __ATOMIC_ACQUIRE);

	if (!settings->pair_count || !settings->window || (int64_t)(now - last) <= 0 ||
	    !__atomic_compare_exchange_n(&runtime_page->latency_updated_ns, &last, now, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	global_delay(now);
	uint64_t delay = __atomic_load_n(&runtime_page->waiters_delay_ns, __ATOMIC_ACQUIRE);
	uint64_t window = settings->window;
	if (__atomic_load_n(&runtime_page->latency_window, __ATOMIC_ACQUIRE) == window)
		latency_add(
			(int64_t)(now - last) -
			(int64_t)(delay - __atomic_load_n(&runtime_page->latency_updated_delay_ns,
							  __ATOMIC_RELAXED)));
	__atomic_store_n(&runtime_page->latency_updated_delay_ns, delay, __ATOMIC_RELEASE);
	__atomic_store_n(&runtime_page->latency_window, window, __ATOMIC_RELEASE);
}

void latency_pause(uint64_t growth)
{
	if (growth && runtime_page->settings.pair_count && runtime_page->settings.window)
		latency_add(-(int64_t)growth);
}
