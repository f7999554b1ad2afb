/* SPDX-License-Identifier: BSD-2-Clause */
/* cycle_counter - pairs of both clocks, each read as close to the other as possible. */
#include "collect/trace/cycle_counter.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"

#include <string.h>
#include <time.h>

#define TRIES 16
#define FIRST_INTERVAL_NS 4000000
#define RATE_INTERVAL_NS 1000000000ull

static uint64_t now_ticks(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	uint64_t ticks;
#ifdef __riscv
	__asm__ __volatile__("fence; rdtime %0" : "=r"(ticks));
#else
	__asm__ __volatile__("isb; mrs %0, cntvct_el0" : "=r"(ticks));
#endif
	return ticks;
#endif
}

/* The kernel's own choice: it keeps no time by a counter with a changing rate. */
bool cycle_counter_is_usable(void)
{
#ifdef __x86_64__
	AUTO(text)
	char *source = file_read("/sys/devices/system/clocksource/clocksource0/current_clocksource",
				 NULL, NULL);
	AUTO(text) char *flags = file_read("/proc/cpuinfo", NULL, NULL);
	bool is_even = flags && strstr(flags, "constant_tsc") && strstr(flags, "nonstop_tsc");
	bool is_kept = source && (strstr(source, "tsc") || strstr(source, "kvm-clock") ||
				  strstr(source, "hyperv"));
	return is_even && is_kept;
#else
	return true; /* the architecture promises it */
#endif
}

/* Of several tries the pair with the least time between two reads of the counter. */
static struct cycle_counter_pair take_pair(void)
{
	struct cycle_counter_pair best = {0};
	uint64_t narrowest = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = now_ticks(), ns = clock_now_ns(), after = now_ticks();
		if (after - before >= narrowest)
			continue;
		narrowest = after - before;
		best = (struct cycle_counter_pair){.ticks = before + narrowest / 2, .ns = ns};
	}
	return best;
}

static void set_rate(struct cycle_counter *ticks, const struct cycle_counter_pair *from,
		     const struct cycle_counter_pair *to)
{
	if (to->ticks > from->ticks && to->ns > from->ns)
		ticks->ns_per_tick =
			(double)(to->ns - from->ns) / (double)(to->ticks - from->ticks);
}

void cycle_counter_begin(struct cycle_counter *ticks)
{
	struct timespec interval = {.tv_nsec = FIRST_INTERVAL_NS};

	ticks->base = take_pair();
	nanosleep(&interval, NULL);
	ticks->latest = take_pair();
	ticks->ns_per_tick = 1;
	set_rate(ticks, &ticks->base, &ticks->latest);
}

/*
 * The rate is that of an interval of one to two seconds: a pair's error of some tens of ns is some
 * 10^-8 of it. `latest` stays meanwhile, so that times do not jump by a pair's error.
 */
static void add_pair(struct cycle_counter *ticks, const struct cycle_counter_pair *pair)
{
	if (pair->ns - ticks->base.ns < RATE_INTERVAL_NS / 8) {
		ticks->latest = *pair;
		set_rate(ticks, &ticks->base, pair);
		return;
	}
	if (pair->ns - ticks->latest.ns < RATE_INTERVAL_NS / 8)
		return;
	set_rate(ticks, &ticks->base, pair);
	if (pair->ns - ticks->latest.ns < RATE_INTERVAL_NS)
		return;
	ticks->base = ticks->latest;
	ticks->latest = *pair;
}

void cycle_counter_compare(struct cycle_counter *ticks)
{
	struct cycle_counter_pair pair = take_pair();
	add_pair(ticks, &pair);
}

uint64_t cycle_counter_to_ns(const struct cycle_counter *ticks, uint64_t value)
{
	double away = (double)(int64_t)(value - ticks->latest.ticks);
	return ticks->latest.ns + (uint64_t)(int64_t)(away * ticks->ns_per_tick);
}
