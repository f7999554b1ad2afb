/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * points - progress points that the engine attaches: uprobes (lines, functions, USDT probes) and
 * tracepoints; and visits by process, which the BPF side counts.
 */
#include "collect/kernel/engine.h"

#include "base/clock.h"
#include "collect/bpf/uprobe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int add_link(struct kernel_engine *kernel, struct bpf_link *link, const char *point,
		    struct error *error)
{
	int code = kernel_add_link(kernel, link);

	if (code == -E2BIG)
		return error_set(error, code,
				 "the progress point %s stands at more than %d code locations; "
				 "name one of them by FILE:LINE",
				 point, KERNEL_LINKS_MOST);
	bool is_refused = code == -EACCES || code == -EPERM;
	return code ? error_set(error, code, "cannot set the progress point %s: %s%s", point,
				strerror(-code),
				is_refused ? "; a point in code needs root or CAP_SYS_ADMIN, a "
					     "point of lever.h does not" :
					     "") :
		      0;
}

static struct bpf_link *attach_uprobe(struct kernel_engine *kernel, unsigned point,
				      const struct collector_code *code)
{
	const struct bpf_uprobe_place place = {.fd = code->fd,
					       .offset = code->offset,
					       .semaphore_offset = code->semaphore_offset};
	return bpf_uprobe_attach(kernel->bpf->progs.visit_uprobe, &place, point);
}

int kernel_add_point_uprobe(struct collector *collector, const char *name,
			    const struct collector_code *code, unsigned *index, struct error *error)
{
	struct kernel_engine *kernel = kernel_of(collector);

	if (code->fd < 0)
		return error_set(error, -ENOTSUP,
				 "the progress point %s is code that was compiled while the "
				 "program ran, which cannot hold a breakpoint; use the language's "
				 "binding of lever.h, a system call, requests, or a function of C",
				 name);
	int failed = engine_take_point(collector, name, WIRE_POINT_ENGINE, index, error);
	if (failed)
		return failed;
	kernel->first_probe_ns = kernel->first_probe_ns ? kernel->first_probe_ns : clock_now_ns();
	kernel->probed_points |= 1ull << *index;
	return add_link(kernel, attach_uprobe(kernel, *index, code), name, error);
}

int kernel_add_point_tracepoint(struct collector *collector, const char *category,
				const char *tracepoint, const char *name, unsigned *index,
				struct error *error)
{
	struct kernel_engine *kernel = kernel_of(collector);
	struct bpf_link *link = NULL;
	int code = engine_take_point(collector, name, WIRE_POINT_ENGINE, index, error);

	code = code ? code :
		      kernel_attach_tracepoint(kernel->bpf->progs.visit_tracepoint, category,
					       tracepoint, *index, &link, error);
	return code ? code : add_link(kernel, link, name, error);
}

void kernel_each_visiting_process(const struct collector *collector, unsigned index,
				  void (*found)(void *context, pid_t pid, const char *command,
						uint64_t visits),
				  void *context)
{
	int map = bpf_map__fd(kernel_of(collector)->bpf->maps.visits_by_process);
	struct kernel_visit_key key, *last = NULL;

	for (unsigned i = 0; i < KERNEL_VISIT_KEYS_MOST; i++) {
		struct kernel_visits visits;
		if (bpf_map_get_next_key(map, last, &key))
			return;
		last = &key;
		if (key.point != index || bpf_map_lookup_elem(map, &key, &visits))
			continue;
		char command[sizeof(visits.command) + 1] = "";
		memcpy(command, visits.command, sizeof(visits.command));
		found(context, (pid_t)key.tgid, command, visits.count);
	}
}

struct call_counter {
	struct bpf_link *link;
	const volatile __u64 *total;
	uint64_t before;
};

static int begin_counting(struct kernel_engine *kernel, const struct collector_calls *counted,
			  size_t number, struct call_counter *counter)
{
	char name[8]; /* the same points serve each search */
	unsigned index;
	snprintf(name, sizeof(name), "%zu", number);
	int code = engine_take_point(&kernel->collector, name, WIRE_POINT_CALL_RATE, &index, NULL);

	if (code)
		return code;
	counter->total = &kernel->collector.points[index].total;
	if (counted->tracepoint)
		return kernel_attach_tracepoint(kernel->bpf->progs.visit_tracepoint, "syscalls",
						counted->tracepoint, index, &counter->link, NULL);
	counter->link = attach_uprobe(kernel, index, &counted->code);
	return counter->link ? 0 : errno ? -errno : -EINVAL;
}

static void end_counting(struct call_counter *counter)
{
	bpf_link__destroy(counter->link);
	counter->link = NULL;
}

static void count_slice(struct collector_calls *counted, struct call_counter *counter,
			const struct collector_slices *slices, unsigned slice)
{
	uint64_t now = *counter->total;

	counted->calls[slice] = now - counter->before;
	counter->before = now;
	if (counted->calls[slice] <= slices->calls_most)
		return;
	counted->status = -ERANGE;
	end_counting(counter);
}

void kernel_count_calls(struct collector *collector, struct collector_calls *counted, size_t count,
			const struct collector_slices *slices)
{
	const struct timespec slice = {.tv_nsec = (long)slices->slice_ns};
	struct call_counter counters[COLLECTOR_CALLS_MOST] = {0};

	for (size_t i = 0; i < count && i < COLLECTOR_CALLS_MOST; i++)
		counted[i].status =
			begin_counting(kernel_of(collector), &counted[i], i, &counters[i]);
	for (size_t i = 0; i < count && i < COLLECTOR_CALLS_MOST; i++)
		counters[i].before = counters[i].total ? *counters[i].total : 0;
	for (unsigned i = 0; i < slices->count; i++) {
		nanosleep(&slice, NULL);
		collector_heartbeat(collector);
		for (size_t j = 0; j < count && j < COLLECTOR_CALLS_MOST; j++)
			if (counters[j].link)
				count_slice(&counted[j], &counters[j], slices, i);
	}
	for (size_t i = 0; i < count && i < COLLECTOR_CALLS_MOST; i++)
		end_counting(&counters[i]);
}
