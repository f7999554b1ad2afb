/* SPDX-License-Identifier: BSD-2-Clause */
/* clocks - opens and controls one perf event for each core. */
#include "collect/bpf/clocks.h"

#include "collect/tick_cost.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int event_open(unsigned cpu, uint64_t period_ns)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period_ns,
		.disabled = 1,
	};
	return (int)syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

uint64_t clocks_period_on(uint64_t period_ns, unsigned cpu)
{
	return period_ns + (uint64_t)cpu * 1009 % 16001;
}

int clocks_open(struct clocks *clocks, int program, uint64_t period_ns, struct error *error)
{
	unsigned opened = 0, cpus = (unsigned)libbpf_num_possible_cpus();

	clocks->period_ns = period_ns;
	for (unsigned cpu = 0; cpu < cpus && cpu < KERNEL_CPUS_MOST; cpu++) {
		int event = event_open(cpu, clocks_period_on(period_ns, cpu));
		if (event < 0 && errno == ENODEV)
			continue; /* offline */
		if (event < 0)
			return error_set(
				error, errno,
				"perf_event_open refuses the sampling clock: %s; run as root, "
				"or with CAP_PERFMON (see `lever check`)",
				strerror(errno));
		clocks->events[cpu] = event;
		if (ioctl(event, PERF_EVENT_IOC_SET_BPF, program))
			return error_set(error, errno, "cannot sample by BPF: %s", strerror(errno));
		opened++;
	}
	return opened ? 0 : error_set(error, -ENODEV, "no core to sample on");
}

void clocks_clear(struct clocks *clocks)
{
	for (unsigned cpu = 0; cpu < KERNEL_CPUS_MOST; cpu++)
		clocks->events[cpu] = -1;
}

void clocks_close(struct clocks *clocks)
{
	for (unsigned cpu = 0; cpu < KERNEL_CPUS_MOST; cpu++)
		if (clocks->events[cpu] >= 0)
			close(clocks->events[cpu]);
	clocks_clear(clocks);
}

void clocks_enable(const struct clocks *clocks, bool enable)
{
	for (unsigned cpu = 0; cpu < KERNEL_CPUS_MOST; cpu++)
		if (clocks->events[cpu] >= 0)
			ioctl(clocks->events[cpu],
			      enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

int clocks_set_period(const struct clocks *clocks, uint64_t period_ns, struct error *error)
{
	for (unsigned cpu = 0; cpu < KERNEL_CPUS_MOST; cpu++) {
		__u64 period = clocks_period_on(period_ns, cpu);
		if (clocks->events[cpu] >= 0 &&
		    ioctl(clocks->events[cpu], PERF_EVENT_IOC_PERIOD, &period))
			return error_set(error, errno,
					 "the kernel refuses a sampling period of %llu ns: %s; see "
					 "/proc/sys/kernel/perf_event_max_sample_rate",
					 (unsigned long long)period, strerror(errno));
	}
	return 0;
}

uint64_t clocks_measure_tick(const struct clocks *clocks, uint64_t period_ns, uint64_t duration_ns)
{
	static uint64_t holes[TICK_COST_HOLES_MOST];
	cpu_set_t old, one;

	CPU_ZERO(&one);
	CPU_SET((unsigned)sched_getcpu(), &one);
	sched_getaffinity(0, sizeof(old), &old);
	sched_setaffinity(0, sizeof(one), &one);
	clocks_enable(clocks, true);
	size_t count = tick_cost_find_holes(holes, duration_ns);
	clocks_enable(clocks, false);
	sched_setaffinity(0, sizeof(old), &old);
	return tick_cost_mean(holes, count, duration_ns / period_ns);
}
