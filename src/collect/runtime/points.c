/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * points - progress points that the engine sets in unmodified code: at each, every thread of the
 * program has a breakpoint (runtime/visits.c).
 */
#include "collect/runtime/engine.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>

#define TRIAL_VISITS 64
#define OVERHEAD_WARNED 0.02 /* of the run's time: a cost worth telling */

int runtime_add_point_tracepoint(struct collector *collector, const char *category,
				 const char *tracepoint, const char *name, unsigned *index,
				 struct error *error)
{
	(void)collector;
	(void)category;
	(void)tracepoint;
	(void)index;
	return error_set(error, -ENOTSUP,
			 "the runtime engine cannot count '%s': tracepoints need rights; name "
			 "code of the program (FUNCTION, FILE:LINE), put LEVER_PROGRESS there "
			 "(lever.h), or use --engine kernel as root",
			 name);
}

/* ---- breakpoints ---- */

__attribute__((noinline)) static void trial_code(void)
{
	__asm__ volatile("");
}

/* Whether this user may set breakpoints on this machine, and what a visit costs: 0 or -errno. */
static int try_breakpoint(uint64_t *visit_ns)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attributes),
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = (uint64_t)(uintptr_t)trial_code,
		.bp_len = sizeof(long),
		.sample_period = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.watermark = 1,
		.wakeup_watermark = UINT32_MAX,
	};
	long page = sysconf(_SC_PAGESIZE);
	AUTO(fd)
	int fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	void *ring = mmap(NULL, (size_t)(2 * page), PROT_READ, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		return -errno;
	const volatile struct perf_event_mmap_page *head = ring;
	uint64_t start = clock_now_ns();
	for (int i = 0; i < TRIAL_VISITS; i++)
		trial_code();
	*visit_ns = (clock_now_ns() - start) / TRIAL_VISITS;
	bool does_count = head->data_head == TRIAL_VISITS * sizeof(struct perf_event_header);
	munmap(ring, (size_t)(2 * page));
	return does_count ? 0 : -ENODEV;
}

static const char *why_not(int code)
{
	switch (code) {
	case -EACCES:
	case -EPERM:
		return "perf_event_open is refused to you (see perf_event_paranoid, or the "
		       "container's seccomp filter)";
	case -ENOSPC:
	case -EBUSY:
		return "all breakpoints of the processor are in use";
	default:
		return "this machine has no breakpoints (some virtual machines have none)";
	}
}

static int cannot(const char *name, const char *why, struct error *error)
{
	return error_set(error, -ENOTSUP,
			 "the runtime engine cannot count visits of '%s': %s; put LEVER_PROGRESS "
			 "there (lever.h), take sampled:FILE:LINE, or --engine kernel as root",
			 name, why);
}

int runtime_add_point_code(struct collector *collector, const char *name,
			   const struct collector_code *code, unsigned *index, struct error *error)
{
	struct runtime_engine *runtime = runtime_of(collector);

	if (runtime->code_point_count == RUNTIME_BREAKPOINTS_MOST)
		return cannot(name,
			      "with those before it, it stands at more than 4 code locations, "
			      "and the processor has 4 breakpoints",
			      error);
	int failed = try_breakpoint(&runtime->visit_ns);
	if (failed)
		return cannot(name, why_not(failed), error);
	failed = engine_take_point(collector, name, WIRE_POINT_ENGINE, index, error);
	if (failed)
		return failed;
	failed = runtime_code_points_add(runtime, code, *index);
	return failed ? error_set(error, failed, "cannot open %s: %s", code->path,
				  strerror(-failed)) :
			0;
}

/* By a code point for that time only; a thread sets its breakpoint at its next tick or wait. */
static int count_calls(struct collector *collector, struct collector_calls *counted,
		       const struct collector_slices *slices)
{
	struct runtime_engine *runtime = runtime_of(collector);
	const struct timespec slice = {.tv_nsec = (long)slices->slice_ns};
	uint64_t visit_ns;
	unsigned index;

	if (counted->tracepoint || runtime->code_point_count == RUNTIME_BREAKPOINTS_MOST ||
	    try_breakpoint(&visit_ns))
		return -ENOTSUP;
	int failed = engine_take_point(collector, "", WIRE_POINT_CALL_RATE, &index, NULL);
	failed = failed ? failed : runtime_code_points_add(runtime, &counted->code, index);
	if (failed)
		return failed;
	const volatile __u64 *total = &runtime->page->points[index].total;
	runtime_processes_publish(runtime);
	nanosleep(&slice, NULL);
	for (unsigned i = 0; i < slices->count && !failed; i++) {
		uint64_t before = *total;
		nanosleep(&slice, NULL);
		collector_heartbeat(collector);
		counted->calls[i] = *total - before;
		failed = counted->calls[i] > slices->calls_most ? -ERANGE : 0;
	}
	runtime_code_points_remove_last(runtime);
	runtime_processes_publish(runtime);
	return failed;
}

/* One after the other: there are four breakpoints. */
void runtime_count_calls(struct collector *collector, struct collector_calls *counted, size_t count,
			 const struct collector_slices *slices)
{
	for (size_t i = 0; i < count; i++)
		counted[i].status = count_calls(collector, &counted[i], slices);
}

static uint64_t visits_by_breakpoint(const struct runtime_engine *runtime)
{
	uint64_t visits = 0;

	for (unsigned i = 0; i < WIRE_POINTS_MOST; i++)
		if (runtime->page->points[i].kind == WIRE_POINT_ENGINE)
			visits += runtime->page->points[i].total;
	return visits;
}

char *runtime_points_warning(const struct runtime_engine *runtime)
{
	double share = (double)visits_by_breakpoint(runtime) * (double)runtime->visit_ns /
		       (double)(clock_now_ns() - runtime->started_ns + 1);

	if (runtime->page->failed_breakpoints)
		return text_format("%llu times a thread could not have a breakpoint at a progress "
				   "point (%s): visits there were not counted",
				   (unsigned long long)runtime->page->failed_breakpoints,
				   strerror((int)(runtime->page->failed_breakpoints_errno & 4095)));
	if (share < OVERHEAD_WARNED)
		return NULL;
	return text_format("breakpoints at progress points took %.0f %% of the run's time (about "
			   "%.1f µs a visit): LEVER_PROGRESS (lever.h) costs nothing, and "
			   "sampled:FILE:LINE hardly anything",
			   100 * share, (double)runtime->visit_ns / 1000);
}
