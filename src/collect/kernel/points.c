/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_points - progress points that the engine attaches: uprobes (lines, functions, USDT) and
 * tracepoints; and the list of all points, those found in the program's memory included.
 */
#include "collect/kernel/engine.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "collect/bpf/tracefs.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Is this the point already? One point may stand at several places. */
static bool is_same_point(const struct wire_point *point, const char *name, uint32_t kind)
{
	return point->kind == kind && !strncmp(point->name, name, sizeof(point->name) - 1);
}

/* The kernel side takes free slots at the same time, for points in programs: by hash, atomically. */
static int take_index(struct collector *collector, const char *name, uint32_t kind, unsigned *index,
		      struct error *error)
{
	struct wire_point *points = collector->bpf->bss->points;

	for (unsigned i = 0; i < WIRE_POINTS_MOST; i++) {
		__u64 free_slot = 0, hash = 2 * (uint64_t)(collector->engine_points + 1);
		*index = i;
		if (points[i].hash && is_same_point(&points[i], name, kind))
			return 0;
		if (!__atomic_compare_exchange_n(&points[i].hash, &free_slot, hash, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			continue;
		collector->engine_points++;
		points[i].kind = kind;
		strncpy(points[i].name, name, sizeof(points[i].name) - 1);
		return 0;
	}
	return error_set(error, -E2BIG, "more than %d progress points", WIRE_POINTS_MOST);
}

static int keep(struct collector *collector, struct bpf_link *link, const char *what,
		struct error *error)
{
	if (!link)
		return error_set(error, errno, "cannot set the progress point %s: %s", what,
				 strerror(errno));
	if (collector->link_count == KERNEL_LINKS_MOST) {
		bpf_link__destroy(link);
		return error_set(error, -E2BIG,
				 "the progress point %s stands at more than %d places", what,
				 KERNEL_LINKS_MOST);
	}
	collector->links[collector->link_count++] = link;
	return 0;
}

int kernel_add_point_uprobe(struct collector *collector, const char *name, const char *path,
			    uint64_t offset, uint64_t semaphore_offset, unsigned *index,
			    struct error *error)
{
	int code = take_index(collector, name, WIRE_POINT_ENGINE, index, error);
	if (code)
		return code;
	LIBBPF_OPTS(bpf_uprobe_opts, options, .bpf_cookie = *index,
		    .ref_ctr_offset = semaphore_offset);
	struct bpf_link *link = bpf_program__attach_uprobe_opts(collector->bpf->progs.visit_uprobe,
								-1, path, offset, &options);
	return keep(collector, link, name, error);
}

int kernel_tracepoint_attach(struct bpf_program *program, const char *category, const char *name,
			     uint64_t cookie, struct bpf_link **link, struct error *error)
{
	int id = tracefs_tracepoint(category, name, error);
	if (id < 0)
		return id;
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attributes),
		.config = (uint64_t)id,
		.sample_period = 1,
	};
	/* The program attached to one core's event runs for the tracepoint on every core. */
	AUTO(fd)
	int event = (int)syscall(SYS_perf_event_open, &attributes, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return error_set(error, errno, "perf_event_open refuses the tracepoint %s:%s: %s",
				 category, name, strerror(errno));
	LIBBPF_OPTS(bpf_perf_event_opts, options, .bpf_cookie = cookie);
	*link = bpf_program__attach_perf_event_opts(program, event, &options);
	if (!*link)
		return error_set(error, errno, "cannot attach to the tracepoint %s:%s: %s",
				 category, name, strerror(errno));
	event = -1; /* the link owns it now */
	return 0;
}

int kernel_add_point_tracepoint(struct collector *collector, const char *category,
				const char *tracepoint, const char *name, unsigned *index,
				struct error *error)
{
	struct bpf_link *link = NULL;
	int code = take_index(collector, name, WIRE_POINT_ENGINE, index, error);

	code = code ? code :
		      kernel_tracepoint_attach(collector->bpf->progs.visit_tracepoint, category,
					       tracepoint, *index, &link, error);
	return code ? code : keep(collector, link, name, error);
}

int kernel_add_point_sampled(struct collector *collector, const char *name, unsigned *index,
			     struct error *error)
{
	return take_index(collector, name, WIRE_POINT_SAMPLED, index, error);
}

unsigned kernel_point_count(const struct collector *collector)
{
	const struct wire_point *points = collector->bpf->bss->points;
	unsigned count = 0;
	while (count < WIRE_POINTS_MOST && points[count].hash)
		count++;
	return count;
}

const struct wire_point *wire_point(const struct collector *collector, unsigned index)
{
	return &collector->bpf->bss->points[index];
}

void kernel_each_visiting_process(const struct collector *collector, unsigned index,
				  void (*found)(void *context, pid_t pid, const char *command,
						uint64_t visits),
				  void *context)
{
	int map = bpf_map__fd(collector->bpf->maps.visits_by_process);
	struct kernel_visit_key visitor, *last = NULL;

	for (unsigned i = 0; i < KERNEL_VISIT_KEYS_MOST; i++) {
		struct kernel_visits visits;
		if (bpf_map_get_next_key(map, last, &visitor))
			return;
		last = &visitor;
		if (visitor.point != index || bpf_map_lookup_elem(map, &visitor, &visits))
			continue;
		char command[sizeof(visits.command) + 1] = "";
		memcpy(command, visits.command, sizeof(visits.command));
		found(context, (pid_t)visitor.tgid, command, visits.count);
	}
}

int kernel_set_pairs(struct collector *collector, unsigned (*pairs)[2], unsigned count)
{
	return engine_write_pairs(&collector->bpf->bss->settings, pairs, count);
}

int kernel_count_calls(struct collector *collector, const char *path, uint64_t offset,
		       uint64_t slice_ns, uint64_t *calls, unsigned slices, uint64_t most)
{
	unsigned index;
	int code = take_index(collector, "", WIRE_POINT_CALL_RATE, &index, NULL);
	if (code)
		return code;
	LIBBPF_OPTS(bpf_uprobe_opts, options, .bpf_cookie = index);
	struct bpf_link *link = bpf_program__attach_uprobe_opts(collector->bpf->progs.visit_uprobe,
								-1, path, offset, &options);
	if (!link)
		return -errno;
	struct timespec slice = {.tv_nsec = (long)slice_ns};
	volatile uint64_t *total = (volatile uint64_t *)&collector->bpf->bss->points[index].total;
	for (unsigned i = 0; i < slices && !code; i++) {
		uint64_t before = *total;
		nanosleep(&slice, NULL);
		kernel_heartbeat(collector);
		calls[i] = *total - before;
		code = calls[i] > most ? -ERANGE : 0;
	}
	bpf_link__destroy(link);
	return code;
}
