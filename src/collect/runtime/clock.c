/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clock - how often the program's threads are sampled, by what a sample costs here.
 *
 * This thread samples itself as the library samples the program's threads (tick_cost.h). A quarter
 * is added for what the library does at a tick.
 */
#include "collect/runtime/engine.h"

#include "base/cleanup.h"
#include "collect/tick_cost.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#define MEASURE_NS 20000000ull
#define MEASURE_PERIOD_NS 400000ull
#define PERIOD_LEAST_NS 200000ull
#define PERIOD_MOST_NS 1000000ull
#define TICK_USUAL_NS 8000ull /* where it cannot be measured */

static volatile uint64_t own_ticks;

static void on_tick(int number)
{
	(void)number;
	own_ticks++;
}

/* -1 where it is refused. */
static int open_clock(void)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = MEASURE_PERIOD_NS,
		.wakeup_events = 1,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = (pid_t)syscall(SYS_gettid)};
	int fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0 && (fcntl(fd, F_SETSIG, RUNTIME_SIGNAL) || fcntl(fd, F_SETOWN_EX, &owner) ||
			fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK))) {
		close(fd);
		return -1;
	}
	return fd;
}

static uint64_t measure_tick(uint32_t *rest_ns)
{
	static uint64_t holes[TICK_COST_HOLES_MOST];
	struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART}, old;
	AUTO(fd) int fd = open_clock();

	*rest_ns = TICK_USUAL_NS;
	if (fd < 0)
		return TICK_USUAL_NS;
	sigaction(RUNTIME_SIGNAL, &action, &old);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	size_t count = tick_cost_find_holes(holes, 0, MEASURE_NS, &own_ticks);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	sigaction(RUNTIME_SIGNAL, &old, NULL);
	size_t expected = MEASURE_NS / MEASURE_PERIOD_NS; /* beside other threads there are fewer */
	size_t ticks = count > expected / 4 ? count : expected;
	uint64_t undisturbed = tick_cost_of(holes, count, ticks, 1);
	if (!undisturbed)
		return TICK_USUAL_NS;
	*rest_ns = (uint32_t)tick_cost_of(holes, count, ticks, 2);
	return undisturbed + undisturbed / 4;
}

static uint64_t period_at(uint64_t tick_ns, double tax)
{
	uint64_t period = (uint64_t)((double)tick_ns / tax);

	period = period < PERIOD_LEAST_NS ? PERIOD_LEAST_NS : period;
	return period > PERIOD_MOST_NS ? PERIOD_MOST_NS : period;
}

void runtime_clock_choose(struct runtime_engine *runtime, uint64_t period_ns)
{
	struct collector_facts *facts = &runtime->collector.facts;

	facts->tick_ns = measure_tick(&runtime->collector.tick_overhead_ns);
	facts->period_ns =
		period_ns ? period_ns : period_at(facts->tick_ns, COLLECTOR_OVERHEAD_AIM);
	facts->shortest_period_ns =
		period_ns ? period_ns : period_at(facts->tick_ns, COLLECTOR_OVERHEAD_MOST);
	facts->interrupt_share = (double)facts->tick_ns / (double)facts->period_ns;
}
