/* SPDX-License-Identifier: BSD-2-Clause */
/* overhead - the kernel times BPF programs in windows; their sums are scaled up. */
#include "collect/bpf/overhead.h"

#include "base/clock.h"
#include "profile/recording.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#define WINDOW_NS 20000000ull
/*
 * From one window's begin to the next: dense at first, as a program may be short; then doubled up
 * to a second. Later the windows are the more apart the more there were: each changes kernel code
 * on all cores.
 */
#define FIRST_EVERY_NS 100000000ull
#define EVERY_NS 1000000000ull
#define EVERY_MOST_NS 10000000000ull
#define WINDOWS_WANTED 60

static pid_t helper;                 /* 0: none */
static uint64_t helper_ns, ended_ns; /* of this helper, of those before it */

void overhead_count_process(pid_t pid)
{
	helper = pid;
	helper_ns = ended_ns = 0;
}

void overhead_replace_process(pid_t pid)
{
	ended_ns += helper_ns;
	helper = pid;
	helper_ns = 0;
}

static uint64_t cpu_ns(clockid_t clock)
{
	struct timespec now = {0};
	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A helper that has ended has no clock any more: its last time stays. */
uint64_t overhead_engine_cpu_ns(void)
{
	clockid_t clock;

	if (helper && !clock_getcpuclockid(helper, &clock)) {
		uint64_t now = cpu_ns(clock);
		helper_ns = now > helper_ns ? now : helper_ns;
	}
	return cpu_ns(CLOCK_PROCESS_CPUTIME_ID) + ended_ns + helper_ns;
}

/* Of all programs of the object, since they were loaded. */
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

static void open_window(struct overhead *overhead, uint64_t now)
{
	uint64_t spread_ns = (now - overhead->start_ns) / WINDOWS_WANTED;

	overhead->every_ns = overhead->every_ns ? 2 * overhead->every_ns : FIRST_EVERY_NS;
	if (overhead->every_ns > EVERY_NS)
		overhead->every_ns = spread_ns < EVERY_NS ? EVERY_NS : spread_ns;
	if (overhead->every_ns > EVERY_MOST_NS)
		overhead->every_ns = EVERY_MOST_NS;
	overhead->window_ns = now;
	overhead->length_ns = overhead->during_ns = 0;
	overhead->counting = bpf_enable_stats(BPF_STATS_RUN_TIME);
	overhead->is_unknown = overhead->counting < 0;
	if (!overhead->is_unknown)
		overhead->before_ns = run_time_ns(overhead->object);
}

static void close_window(struct overhead *overhead, uint64_t now)
{
	overhead->during_ns = run_time_ns(overhead->object) - overhead->before_ns;
	overhead->length_ns = now - overhead->window_ns;
	close(overhead->counting);
	overhead->counting = -1;
}

/* The closed window stands for the time from its begin until now. */
static void add_window(struct overhead *overhead, uint64_t now)
{
	if (overhead->length_ns)
		overhead->kernel_ns += (uint64_t)((double)overhead->during_ns *
						  ((double)(now - overhead->window_ns) /
						   (double)overhead->length_ns));
}

void overhead_start(struct overhead *overhead, struct bpf_object *object)
{
	*overhead = (struct overhead){.object = object,
				      .counting = -1,
				      .start_ns = clock_now_ns(),
				      .engine_ns = overhead_engine_cpu_ns()};
	if (object)
		open_window(overhead, overhead->start_ns);
}

void overhead_poll(struct overhead *overhead)
{
	uint64_t now = clock_now_ns();

	if (!overhead->object || overhead->is_unknown)
		return;
	if (overhead->counting >= 0 && now - overhead->window_ns >= WINDOW_NS) {
		close_window(overhead, now);
	} else if (overhead->counting < 0 && now - overhead->window_ns >= overhead->every_ns) {
		add_window(overhead, now);
		open_window(overhead, now);
	}
}

void overhead_end(struct overhead *overhead, struct recording_overhead *row)
{
	uint64_t now = clock_now_ns();

	if (overhead->object && !overhead->is_unknown) {
		if (overhead->counting >= 0)
			close_window(overhead, now);
		add_window(overhead, now);
	}
	row->knows_kernel = overhead->object && !overhead->is_unknown;
	row->kernel_ns = row->knows_kernel ? overhead->kernel_ns : 0;
	row->engine_ns = overhead_engine_cpu_ns() - overhead->engine_ns;
	overhead->object = NULL;
}
