/* SPDX-License-Identifier: BSD-2-Clause */
/* clocks - opens and controls perf events for each core. */
#include "collect/bpf/clocks.h"

#include "base/clock.h"
#include "base/cores.h"
#include "collect/tick_cost.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FOLLOW_EVERY_NS 1000000000u
#define MEASURE_ROUNDS 10
#define MEASURE_TICKS_LEAST 8 /* with a counted one; fewer tell nothing */

static int event_open(unsigned cpu, uint64_t period_ns)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period_ns,
		.disabled = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
	};
	return (int)syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Spread by a quarter around 1, with no simple ratios; their inverses have a mean of 1. */
static double spread(unsigned clock, unsigned each)
{
	static const double spreads[CLOCKS_MOST] = {1, 0.797, 1.237, 0.883, 1.109};
	double inverse = 0;

	for (unsigned i = 0; i < each; i++)
		inverse += 1 / spreads[i] / each;
	return spreads[clock] * inverse;
}

uint64_t clocks_period_on(uint64_t period_ns, unsigned cpu, unsigned clock, unsigned each)
{
	double own_ns = (double)(period_ns + (uint64_t)cpu * 1009 % 16001);
	return (uint64_t)(own_ns * each * spread(clock, each));
}

static int event_fail(int code, struct error *error)
{
	return error_set(error, code,
			 "perf_event_open refuses the sampling clock: %s; run as root, or with "
			 "CAP_PERFMON (see `lever check`)",
			 strerror(code));
}

/* The clocks of a core, with the period that is set; -ENODEV if it is offline. */
static int core_open(struct clocks *clocks, unsigned cpu, struct error *error)
{
	for (unsigned i = 0; i < clocks->each; i++) {
		int event = event_open(cpu, clocks_period_on(clocks->set_ns, cpu, i, clocks->each));
		if (event < 0 && errno == ENODEV)
			return -ENODEV;
		if (event < 0)
			return event_fail(errno, error);
		clocks->events[cpu][i] = event;
		if (ioctl(event, PERF_EVENT_IOC_SET_BPF, clocks->program))
			return error_set(error, errno, "cannot sample by BPF: %s", strerror(errno));
	}
	return 0;
}

int clocks_open(struct clocks *clocks, int program, uint64_t period_ns, unsigned each,
		struct error *error)
{
	unsigned opened = 0;

	clocks->period_ns = clocks->set_ns = period_ns;
	clocks->each = each;
	clocks->program = program;
	clocks->cores = cores_possible();
	for (unsigned cpu = 0; cpu < clocks->cores && cpu < KERNEL_CPUS_MOST; cpu++) {
		int code = core_open(clocks, cpu, error);
		if (code && code != -ENODEV)
			return code;
		opened += !code;
	}
	return opened ? 0 : error_set(error, -ENODEV, "no core to sample on");
}

void clocks_clear(struct clocks *clocks)
{
	for (unsigned cpu = 0; cpu < KERNEL_CPUS_MOST; cpu++)
		for (unsigned i = 0; i < CLOCKS_MOST; i++)
			clocks->events[cpu][i] = -1;
}

static void core_close(struct clocks *clocks, unsigned cpu)
{
	for (unsigned i = 0; i < CLOCKS_MOST; i++) {
		if (clocks->events[cpu][i] >= 0)
			close(clocks->events[cpu][i]);
		clocks->events[cpu][i] = -1;
	}
}

void clocks_close(struct clocks *clocks)
{
	for (unsigned cpu = 0; cpu < KERNEL_CPUS_MOST; cpu++)
		core_close(clocks, cpu);
}

static void core_enable(const struct clocks *clocks, unsigned cpu, bool enable)
{
	for (unsigned i = 0; i < CLOCKS_MOST; i++)
		if (clocks->events[cpu][i] >= 0)
			ioctl(clocks->events[cpu][i],
			      enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void clocks_enable(struct clocks *clocks, bool enable)
{
	for (unsigned cpu = 0; cpu < KERNEL_CPUS_MOST; cpu++)
		core_enable(clocks, cpu, enable);
	clocks->is_enabled = enable;
	clocks->followed_ns = clock_now_ns();
}

/* The kernel takes a core's events away when the core goes, also when the machine sleeps. */
static bool has_stopped(struct clocks *clocks, unsigned cpu)
{
	uint64_t counts[2]; /* events, time enabled */

	if (read(clocks->events[cpu][0], counts, sizeof(counts)) != sizeof(counts) ||
	    counts[1] == clocks->enabled_ns[cpu])
		return true;
	clocks->enabled_ns[cpu] = counts[1];
	return false;
}

void clocks_follow_cores(struct clocks *clocks)
{
	uint64_t now_ns = clock_now_ns();

	if (!clocks->is_enabled || now_ns - clocks->followed_ns < FOLLOW_EVERY_NS)
		return;
	clocks->followed_ns = now_ns;
	for (unsigned cpu = 0; cpu < clocks->cores && cpu < KERNEL_CPUS_MOST; cpu++) {
		if (clocks->events[cpu][0] >= 0 && has_stopped(clocks, cpu))
			core_close(clocks, cpu);
		if (clocks->events[cpu][0] >= 0)
			continue;
		clocks->enabled_ns[cpu] = 0;
		if (core_open(clocks, cpu, NULL))
			core_close(clocks, cpu);
		else
			core_enable(clocks, cpu, true);
	}
}

static int set_period(int event, __u64 period_ns, struct error *error)
{
	if (event < 0 || !ioctl(event, PERF_EVENT_IOC_PERIOD, &period_ns))
		return 0;
	return error_set(error, errno,
			 "the kernel refuses a sampling period of %llu ns: %s; see "
			 "/proc/sys/kernel/perf_event_max_sample_rate",
			 (unsigned long long)period_ns, strerror(errno));
}

int clocks_set_period(struct clocks *clocks, uint64_t period_ns, struct error *error)
{
	int code = 0;

	clocks->set_ns = period_ns;
	for (unsigned cpu = 0; cpu < KERNEL_CPUS_MOST; cpu++)
		for (unsigned i = 0; i < clocks->each && !code; i++)
			code = set_period(clocks->events[cpu][i],
					  clocks_period_on(period_ns, cpu, i, clocks->each), error);
	return code;
}

void clock_set_period(const struct clocks *clocks, unsigned cpu, unsigned clock, uint64_t period_ns)
{
	__u64 period = period_ns;

	if (clocks->events[cpu][clock] >= 0)
		ioctl(clocks->events[cpu][clock], PERF_EVENT_IOC_PERIOD, &period);
}

static const volatile uint64_t *ticks_of(const struct clocks_ticks *ticks, unsigned cpu)
{
	const volatile char *first = ticks->first;

	return first ? (const volatile uint64_t *)(first + cpu * ticks->stride_bytes) : NULL;
}

/* On a busy core this thread is away for a part of the ticks, and looks for longer. */
uint64_t clocks_measure_tick(struct clocks *clocks, uint64_t period_ns, uint64_t duration_ns,
			     const struct clocks_ticks *ticks)
{
	static uint64_t holes[TICK_COST_HOLES_MOST];
	size_t expected = duration_ns / period_ns, count = 0;
	unsigned cpu = (unsigned)sched_getcpu();
	cpu_set_t old, one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_getaffinity(0, sizeof(old), &old);
	sched_setaffinity(0, sizeof(one), &one);
	clocks_enable(clocks, true);
	for (int round = 0; round < MEASURE_ROUNDS && count < expected / 4; round++)
		count = tick_cost_find_holes(holes, count, duration_ns, ticks_of(ticks, cpu));
	clocks_enable(clocks, false);
	sched_setaffinity(0, sizeof(old), &old);
	return tick_cost_mean(holes, count,
			      ticks->first && count >= MEASURE_TICKS_LEAST ? count : expected);
}
