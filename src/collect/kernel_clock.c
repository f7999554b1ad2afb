/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel_clock - the kernel engine's sampling clock, and what one tick of it costs. */
#include "collect/kernel.h"

#include "base/clock.h"
#include "base/own.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALIBRATE_NS 40000000ull /* measured with and without ticks, each */
#define CALIBRATE_PERIOD_NS 400000ull
#define CALIBRATE_HOLE_NS 1000ull /* the clock is read every 30 ns: a longer hole is an interrupt */
#define CALIBRATE_HOLES_MOST 4096
#define PERIOD_LEAST_NS 80000ull
#define PERIOD_MOST_NS 700000ull

int kernel_clock_open(struct collector *collector, uint64_t period_ns, struct error *error)
{
	if (!period_ns)
		period_ns = CALIBRATE_PERIOD_NS;
	else
		collector->facts.period_ns = period_ns;
	collector->bpf->bss->settings.period_ns = period_ns;
	return clocks_open(&collector->clocks, bpf_program__fd(collector->bpf->progs.tick),
			   period_ns, error);
}

static int set_period(struct collector *collector, uint64_t period_ns, struct error *error)
{
	collector->bpf->bss->settings.period_ns = period_ns;
	return clocks_set_period(&collector->clocks, period_ns, error);
}

void kernel_set_period(struct collector *collector, uint64_t period_ns)
{
	set_period(collector, period_ns, NULL);
}

void kernel_charge_ticks(struct collector *collector, bool are_charged)
{
	collector->bpf->bss->settings.tick_cost_ns = are_charged ? collector->tick_cost_ns : 0;
}

static int by_size(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
	return left < right ? -1 : left > right;
}

/* Holes in this thread's time: sorted sizes; returns their number. */
static size_t find_holes(uint64_t *holes, uint64_t duration_ns)
{
	size_t count = 0;
	uint64_t start = clock_now_ns(), before = start;

	while (before - start < duration_ns) {
		uint64_t now = clock_now_ns();
		if (now - before > CALIBRATE_HOLE_NS && count < CALIBRATE_HOLES_MOST)
			holes[count++] = now - before;
		before = now;
	}
	qsort(holes, count, sizeof(*holes), by_size);
	return count;
}

/*
 * What a tick costs: the usual hole that ticks make in a loop which only reads the clock. This
 * thread is a task of the program meanwhile, so that the whole path of a sample is measured. The
 * hole is what interrupt, hypervisor and BPF take together, so it is right on a VM, too.
 */
static uint64_t measure_tick(struct collector *collector)
{
	static uint64_t holes[CALIBRATE_HOLES_MOST];
	cpu_set_t old, one;

	CPU_ZERO(&one);
	CPU_SET((unsigned)sched_getcpu(), &one);
	sched_getaffinity(0, sizeof(old), &old);
	sched_setaffinity(0, sizeof(one), &one);
	size_t quiet = find_holes(holes, CALIBRATE_NS / 4) * 4;
	clocks_enable(&collector->clocks, true);
	size_t count = find_holes(holes, CALIBRATE_NS);
	clocks_enable(&collector->clocks, false);
	sched_setaffinity(0, sizeof(old), &old);
	if (count <= quiet || !count)
		return 1000;
	/*
	 * Other interrupts are short: the ticks are the longest (count - quiet) holes. Their cheapest
	 * tenth: on a busy host many ticks take much longer, which is not the ticks' cost.
	 */
	return holes[quiet + (count - quiet) / 10];
}

/* Of a tick's cost, what is not the BPF program's, which measures its own. */
static uint32_t cost_beside_bpf(const struct collector *collector)
{
	uint64_t handled = 0, samples = 0;

	for (unsigned cpu = 0; cpu < collector->facts.cpus; cpu++) {
		handled += collector->bpf->bss->cpus[cpu].handled_ns;
		samples += collector->bpf->bss->cpus[cpu].samples;
	}
	uint64_t mean = samples ? handled / samples : 0;
	uint64_t least = collector->facts.tick_ns / 4;
	return (uint32_t)(collector->facts.tick_ns > mean + least ?
				  collector->facts.tick_ns - mean :
				  least);
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

/* The period at which ticks take this part of a core. */
static uint64_t period_at(const struct collector *collector, double tax)
{
	uint64_t period = (uint64_t)((double)collector->facts.tick_ns / tax);

	period = period < PERIOD_LEAST_NS ? PERIOD_LEAST_NS : period;
	period = period > PERIOD_MOST_NS ? PERIOD_MOST_NS : period;
	return period < allowed_period_ns() ? allowed_period_ns() : period;
}

int kernel_clock_calibrate(struct collector *collector, struct error *error)
{
	int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	if (pidfd < 0)
		return error_set(error, errno, "pidfd_open: %s", strerror(errno));
	int code = kernel_add_task(collector, pidfd, error);
	if (!code)
		collector->facts.tick_ns = measure_tick(collector);
	bpf_map_delete_elem(bpf_map__fd(collector->bpf->maps.tasks), &pidfd);
	close(pidfd);
	if (code)
		return code;
	ring_buffer__consume(collector->ring); /* samples of this thread */
	uint64_t period = collector->facts.period_ns;
	collector->facts.densest_period_ns =
		period ? period : period_at(collector, COLLECTOR_TAX_MOST);
	period = period ? period : period_at(collector, COLLECTOR_TAX_AIM);
	collector->facts.period_ns = period;
	collector->facts.interrupt_share = (double)collector->facts.tick_ns / (double)period;
	collector->tick_cost_ns = cost_beside_bpf(collector);
	memset(collector->bpf->bss->cpus, 0, sizeof(collector->bpf->bss->cpus));
	return set_period(collector, period, error);
}
