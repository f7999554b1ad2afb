/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runtime_points - progress points of the runtime engine: those of the program's own page, sampled
 * ones, and code_points of unmodified code, at which each thread of the program has a breakpoint
 * (runtime/visits.c). Here those code_points are chosen, and found in each process.
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

static struct runtime_engine *runtime_of(const struct collector *collector)
{
	return (struct runtime_engine *)(uintptr_t)collector;
}

/* The program takes free entries at the same time, for its own points: by hash, atomically. */
static int take_index(struct runtime_engine *runtime, const char *name, uint32_t kind,
		      unsigned *index, struct error *error)
{
	struct wire_point *points = runtime->page->points;
	__u64 hash = 2 * (uint64_t)(runtime->engine_points + 1);

	for (unsigned i = 0; i < WIRE_POINTS_MOST; i++) {
		__u64 free_entry = 0;
		*index = i;
		if (points[i].kind == kind &&
		    !strncmp(points[i].name, name, sizeof(points[i].name) - 1))
			return 0;
		if (!__atomic_compare_exchange_n(&points[i].hash, &free_entry, hash, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			continue;
		runtime->engine_points++;
		strncpy(points[i].name, name, sizeof(points[i].name) - 1);
		__atomic_store_n(&points[i].kind, kind, __ATOMIC_RELEASE);
		return 0;
	}
	return error_set(error, -E2BIG, "more than %d progress points", WIRE_POINTS_MOST);
}

int runtime_add_point_sampled(struct collector *collector, const char *name, unsigned *index,
			      struct error *error)
{
	return take_index(runtime_of(collector), name, WIRE_POINT_SAMPLED, index, error);
}

int runtime_add_point_tracepoint(struct collector *collector, const char *category,
				 const char *tracepoint, const char *name, unsigned *index,
				 struct error *error)
{
	(void)collector;
	(void)category;
	(void)tracepoint;
	(void)index;
	return error_set(error, -ENOTSUP,
			 "the runtime engine cannot count '%s': tracepoints need rights; name a "
			 "place of the program (FUNCTION, FILE:LINE), put LEVER_PROGRESS there "
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

static int add_code_point(struct runtime_engine *runtime, const char *path, uint64_t offset,
			  uint64_t semaphore_offset, unsigned point)
{
	struct stat status;

	if (stat(path, &status))
		return -errno;
	runtime->code_points[runtime->code_point_count++] = (struct runtime_code_point){
		.path = text_copy(path),
		.file = {.inode = status.st_ino,
			 .device = major(status.st_dev) << 20 | minor(status.st_dev)},
		.offset = offset,
		.semaphore_offset = semaphore_offset,
		.point = point,
	};
	__atomic_store_n(&runtime->page->breakpoints, runtime->code_point_count, __ATOMIC_RELEASE);
	return 0;
}

int runtime_add_point_code(struct collector *collector, const char *name, const char *path,
			   uint64_t offset, uint64_t semaphore_offset, unsigned *index,
			   struct error *error)
{
	struct runtime_engine *runtime = runtime_of(collector);

	if (runtime->code_point_count == RUNTIME_BREAKPOINTS_MOST)
		return cannot(name,
			      "with those before it, it stands at more than 4 places of the code, "
			      "and the processor has 4 breakpoints",
			      error);
	int code = try_breakpoint(&runtime->visit_ns);
	if (code)
		return cannot(name, why_not(code), error);
	code = take_index(runtime, name, WIRE_POINT_ENGINE, index, error);
	if (code)
		return code;
	code = add_code_point(runtime, path, offset, semaphore_offset, *index);
	return code ? error_set(error, code, "cannot look at %s: %s", path, strerror(-code)) : 0;
}

/* By a place that is there for a moment; a thread sets the breakpoint at its next tick or wait. */
int runtime_count_calls(struct collector *collector, const char *path, uint64_t offset,
			uint64_t slice_ns, uint64_t *calls, unsigned slices, uint64_t most)
{
	struct runtime_engine *runtime = runtime_of(collector);
	const struct timespec slice = {.tv_nsec = (long)slice_ns};
	uint64_t visit_ns;
	unsigned index;

	if (runtime->code_point_count == RUNTIME_BREAKPOINTS_MOST || try_breakpoint(&visit_ns))
		return -ENOTSUP;
	int code = take_index(runtime, "", WIRE_POINT_CALL_RATE, &index, NULL);
	code = code ? code : add_code_point(runtime, path, offset, 0, index);
	if (code)
		return code;
	const volatile __u64 *total = &runtime->page->points[index].total;
	runtime_processes_publish(runtime);
	nanosleep(&slice, NULL);
	for (unsigned i = 0; i < slices && !code; i++) {
		uint64_t before = *total;
		nanosleep(&slice, NULL);
		runtime->engine.engine->heartbeat(collector);
		calls[i] = *total - before;
		code = calls[i] > most ? -ERANGE : 0;
	}
	free(runtime->code_points[--runtime->code_point_count].path);
	__atomic_store_n(&runtime->page->breakpoints, runtime->code_point_count, __ATOMIC_RELEASE);
	runtime_processes_publish(runtime);
	return code;
}

/* Some file systems show another device in /proc/PID/maps than in stat: then the path must do. */
static bool is_same_file(const struct runtime_code_point *place, const struct wire_file *file,
			 const char *path)
{
	return place->file.inode == file->inode &&
	       (place->file.device == file->device || !strcmp(place->path, path));
}

void runtime_points_resolve(const struct runtime_engine *runtime, const struct wire_file *file,
			    const char *path, const struct runtime_mapping *mapping, bool is_code,
			    struct runtime_breakpoint *breakpoints)
{
	uint64_t size = mapping->end - mapping->start;

	for (unsigned i = 0; i < runtime->code_point_count; i++) {
		const struct runtime_code_point *place = &runtime->code_points[i];
		uint64_t offset = is_code ? place->offset : place->semaphore_offset;
		if (!offset || offset < mapping->offset || offset - mapping->offset >= size ||
		    !is_same_file(place, file, path))
			continue;
		uint64_t address = mapping->start + (offset - mapping->offset);
		breakpoints[i].point = place->point;
		if (is_code)
			breakpoints[i].address = address;
		else
			breakpoints[i].semaphore = address;
	}
}

void runtime_points_close(struct runtime_engine *runtime)
{
	for (unsigned i = 0; i < runtime->code_point_count; i++)
		free(runtime->code_points[i].path);
}

static uint64_t visits_by_breakpoint(const struct runtime_engine *runtime)
{
	uint64_t visits = 0;

	for (unsigned i = 0; i < WIRE_POINTS_MOST; i++)
		if (runtime->page->points[i].kind == WIRE_POINT_ENGINE)
			visits += runtime->page->points[i].total;
	return visits;
}

char *runtime_points_note(const struct runtime_engine *runtime)
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

/* ---- all points ---- */

unsigned runtime_point_count(const struct collector *collector)
{
	const struct wire_point *points = runtime_of(collector)->page->points;
	unsigned count = 0;

	/* A kind is written last: until then the name may be half there. */
	while (count < WIRE_POINTS_MOST && points[count].hash &&
	       __atomic_load_n(&points[count].kind, __ATOMIC_ACQUIRE))
		count++;
	return count;
}

const struct wire_point *runtime_point(const struct collector *collector, unsigned index)
{
	struct wire_point *points = runtime_of(collector)->page->points;

	points[index].name[sizeof(points[index].name) - 1] = 0; /* who has scribbled? */
	return &points[index];
}

int runtime_set_pairs(struct collector *collector, unsigned (*pairs)[2], unsigned count)
{
	return engine_write_pairs(&runtime_of(collector)->page->settings, pairs, count);
}

double runtime_pair_average(const struct collector *collector, unsigned pair)
{
	return pair < WIRE_PAIRS_MOST ? runtime_of(collector)->pair_averages[pair] : 0;
}
