/* SPDX-License-Identifier: BSD-2-Clause */
/* cost - windows in which the kernel times BPF programs, scaled up to the time that they stand for. */
#include "collect/cost.h"

#include "base/clock.h"
#include "profile/recording.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#define WINDOW_NS 20000000ull
/* From one window's begin to that of the next: the first ones, while a short program may end; then. */
#define FIRST_EVERY_NS 100000000ull
#define EVERY_NS 1000000000ull

static uint64_t own_cpu_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Of all programs that are loaded, since they were. */
static uint64_t run_time_ns(struct bpf_object *object)
{
	struct bpf_program *program;
	uint64_t sum = 0;

	bpf_object__for_each_program(program, object)
	{
		struct bpf_prog_info info = {0};
		__u32 size = sizeof(info);
		int descriptor = bpf_program__fd(program);
		if (descriptor >= 0 && !bpf_obj_get_info_by_fd(descriptor, &info, &size))
			sum += info.run_time_ns;
	}
	return sum;
}

static void open_window(struct cost *cost, uint64_t now)
{
	cost->every_ns = cost->every_ns ? 2 * cost->every_ns : FIRST_EVERY_NS;
	if (cost->every_ns > EVERY_NS)
		cost->every_ns = EVERY_NS;
	cost->window_ns = now;
	cost->length_ns = cost->during_ns = 0;
	cost->counting = bpf_enable_stats(BPF_STATS_RUN_TIME);
	cost->is_unknown = cost->counting < 0;
	if (!cost->is_unknown)
		cost->before_ns = run_time_ns(cost->object);
}

static void close_window(struct cost *cost, uint64_t now)
{
	cost->during_ns = run_time_ns(cost->object) - cost->before_ns;
	cost->length_ns = now - cost->window_ns;
	close(cost->counting);
	cost->counting = -1;
}

/* The closed window stands for the time from its begin until now. */
static void settle(struct cost *cost, uint64_t now)
{
	if (cost->length_ns)
		cost->kernel_ns +=
			(uint64_t)((double)cost->during_ns *
				   ((double)(now - cost->window_ns) / (double)cost->length_ns));
}

void cost_start(struct cost *cost, struct bpf_object *object)
{
	*cost = (struct cost){.object = object, .counting = -1, .engine_ns = own_cpu_ns()};
	if (object)
		open_window(cost, clock_now_ns());
}

void cost_look(struct cost *cost)
{
	uint64_t now = clock_now_ns();

	if (!cost->object || cost->is_unknown)
		return;
	if (cost->counting >= 0 && now - cost->window_ns >= WINDOW_NS) {
		close_window(cost, now);
	} else if (cost->counting < 0 && now - cost->window_ns >= cost->every_ns) {
		settle(cost, now);
		open_window(cost, now);
	}
}

void cost_end(struct cost *cost, struct recording_cost *row)
{
	uint64_t now = clock_now_ns();

	if (cost->object && !cost->is_unknown) {
		if (cost->counting >= 0)
			close_window(cost, now);
		settle(cost, now);
	}
	row->knows_kernel = cost->object && !cost->is_unknown;
	row->kernel_ns = row->knows_kernel ? cost->kernel_ns : 0;
	row->engine_ns = own_cpu_ns() - cost->engine_ns;
	cost->object = NULL;
}
