/* SPDX-License-Identifier: BSD-2-Clause */
/* clock - the kernel engine's sampling clock, and what one tick of it costs. */
#include "collect/kernel/engine.h"

#include "base/cleanup.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MEASURE_NS 40000000ull
#define CALIBRATE_PERIOD_NS 400000ull
#define TICK_UNKNOWN_NS 1000
#define PERIOD_LEAST_NS 80000ull
#define SAMPLES_TELLING 500 /* ticks after which their mean counts */
#define PERIOD_MOST_NS 700000ull

int kernel_clock_open(struct kernel_engine *kernel, uint64_t period_ns, struct error *error)
{
	if (!period_ns)
		period_ns = CALIBRATE_PERIOD_NS;
	else
		kernel->collector.facts.period_ns = period_ns;
	kernel->collector.settings->delay.period_ns = period_ns;
	return clocks_open(&kernel->clocks, bpf_program__fd(kernel->bpf->progs.tick), period_ns, 1,
			   error);
}

static int set_period(struct kernel_engine *kernel, uint64_t period_ns, struct error *error)
{
	kernel->collector.settings->delay.period_ns = period_ns;
	return clocks_set_period(&kernel->clocks, period_ns, error);
}

/* Half of perf_event_max_sample_rate: at the rate itself the kernel would throttle the clock. */
static uint64_t allowed_period_ns(void)
{
	AUTO(file) FILE *file = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	unsigned long long rate = 0;

	if (!file || fscanf(file, "%llu", &rate) != 1 || !rate)
		return PERIOD_LEAST_NS;
	return 2000000000ull / rate;
}

/* In BPF, by all cores: what a sample took on average, without pauses; 0 if there were too few. */
static uint64_t mean_handled_ns(const struct kernel_engine *kernel)
{
	uint64_t handled = 0, samples = 0;

	for (unsigned cpu = 0; cpu < kernel->collector.facts.cpus; cpu++) {
		handled += kernel->bpf->bss->cpus[cpu].handled_ns;
		samples += kernel->bpf->bss->cpus[cpu].samples;
	}
	return samples >= SAMPLES_TELLING ? handled / samples : 0;
}

/* The period at which such ticks take this part of a core. */
static uint64_t period_at(uint64_t tick_ns, double share)
{
	uint64_t period = (uint64_t)((double)tick_ns / share);

	period = period < PERIOD_LEAST_NS ? PERIOD_LEAST_NS : period;
	period = period > PERIOD_MOST_NS ? PERIOD_MOST_NS : period;
	return period < allowed_period_ns() ? allowed_period_ns() : period;
}

/*
 * At the start, while files are unknown and caches cold, a sample takes up to three times as long
 * as later: the shortest period follows the mean of samples in the program.
 */
void kernel_set_period(struct collector *collector, uint64_t period_ns)
{
	struct kernel_engine *kernel = kernel_of(collector);
	uint64_t handled = mean_handled_ns(kernel);

	if (handled && !kernel->has_given_period)
		kernel->collector.facts.shortest_period_ns =
			period_at(kernel->collector.tick_overhead_ns + handled,
				  COLLECTOR_OVERHEAD_MOST);
	set_period(kernel, period_ns, NULL);
}

/* In this thread: the whole of a sample if it is the program's, else all but the BPF part. */
static uint64_t measure_tick(struct kernel_engine *kernel)
{
	const struct clocks_ticks ticks = {.first = &kernel->bpf->bss->cpus[0].ticks,
					   .stride_bytes = sizeof(kernel->bpf->bss->cpus[0])};
	uint64_t tick_ns =
		clocks_measure_tick(&kernel->clocks, kernel->clocks.period_ns, MEASURE_NS, &ticks);
	return tick_ns ? tick_ns : TICK_UNKNOWN_NS;
}

int kernel_clock_calibrate(struct kernel_engine *kernel, struct error *error)
{
	int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	if (pidfd < 0)
		return error_set(error, errno, "pidfd_open: %s", strerror(errno));
	kernel->collector.tick_overhead_ns = (uint32_t)measure_tick(kernel);
	int code = kernel_mark_itself(&kernel->collector, pidfd, error);
	if (!code)
		kernel->collector.facts.tick_ns = measure_tick(kernel);
	bpf_map_delete_elem(bpf_map__fd(kernel->bpf->maps.tasks), &pidfd);
	close(pidfd);
	if (code)
		return code;
	ring_buffer__consume(kernel->ring); /* samples of this thread */
	uint64_t period = kernel->collector.facts.period_ns, tick = kernel->collector.facts.tick_ns;
	kernel->has_given_period = period;
	kernel->collector.facts.shortest_period_ns =
		period ? period : period_at(tick, COLLECTOR_OVERHEAD_MOST);
	period = period ? period : period_at(tick, COLLECTOR_OVERHEAD_AIM);
	kernel->collector.facts.period_ns = period;
	kernel->collector.facts.interrupt_share =
		(double)kernel->collector.facts.tick_ns / (double)period;
	memset(kernel->bpf->bss->cpus, 0, sizeof(kernel->bpf->bss->cpus));
	return set_period(kernel, period, error);
}
