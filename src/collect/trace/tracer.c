/* SPDX-License-Identifier: BSD-2-Clause */
/* tracer - loads bpf/trace.bpf.c, names the processes to log, reads its rings. */
#include "collect/trace/tracer.h"

#include "base/cleanup.h"
#include "base/cores.h"
#include "base/memory.h"
#include "collect/bpf/kernel_features.h"
#include "collect/bpf/loader.h"
#include "collect/bpf/overhead.h"
#include "wire/kernel.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#pragma GCC diagnostic push /* made by bpftool */
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Woverlength-strings"
#include "trace.skel.h"
#pragma GCC diagnostic pop

#define RINGS_BYTES_MOST (256u << 20) /* of all cores together */
#define RING_EVENTS_LEAST 4096

struct tracer {
	struct trace_bpf *bpf;
	struct ring_buffer *ring;             /* of the rarer events */
	const struct tracer_handler *handler; /* while draining */
	const struct scheduler_event *logs;   /* mapped, to read */
	size_t log_bytes;
	unsigned cores, ring_size;
	struct overhead overhead;
	struct bpf_link *probes[TRACER_PROBES_MOST];
	unsigned probe_count;
	bool has_messages;
};

static int on_event(void *context, void *data, size_t size)
{
	struct tracer *tracer = context;
	const struct tracer_handler *handler = tracer->handler;
	uint32_t kind = size >= sizeof(uint32_t) ? *(uint32_t *)data : 0;

	if (!handler)
		return 0;
	switch (kind) {
	case SCHEDULER_EVENT_INTERRUPT_ENTRY:
	case SCHEDULER_EVENT_INTERRUPT_EXIT:
		if (size >= sizeof(struct scheduler_interrupt_event) && handler->interrupt)
			handler->interrupt(handler->context, data);
		break;
	case SCHEDULER_EVENT_TEXT:
		if (size >= sizeof(struct scheduler_text_event) && handler->text)
			handler->text(handler->context, data);
		break;
	case SCHEDULER_EVENT_PROBE:
		if (size >= sizeof(struct scheduler_probe_event) && handler->probe)
			handler->probe(handler->context, data);
		break;
	case SCHEDULER_EVENT_SENT:
	case SCHEDULER_EVENT_RECEIVED:
		if (size >= sizeof(struct scheduler_message_event) && handler->message)
			handler->message(handler->context, data);
		break;
	default:
		if (size >= sizeof(struct scheduler_task_event) && handler->task)
			handler->task(handler->context, data);
	}
	return 0;
}

static void choose_sizes(struct tracer *tracer)
{
	tracer->cores = cores_possible();
	tracer->ring_size = SCHEDULER_RING_EVENTS;
	while (tracer->ring_size > RING_EVENTS_LEAST &&
	       (size_t)tracer->ring_size * tracer->cores * sizeof(struct scheduler_event) >
		       RINGS_BYTES_MOST)
		tracer->ring_size /= 2;
	tracer->log_bytes =
		(size_t)tracer->ring_size * tracer->cores * sizeof(struct scheduler_event);
}

static int map_logs(struct tracer *tracer, struct error *error)
{
	void *logs = mmap(NULL, tracer->log_bytes, PROT_READ, MAP_SHARED,
			  bpf_map__fd(tracer->bpf->maps.logs), 0);

	if (logs == MAP_FAILED)
		return error_set(error, errno, "cannot map the scheduler log: %s", strerror(errno));
	tracer->logs = logs;
	tracer->ring =
		ring_buffer__new(bpf_map__fd(tracer->bpf->maps.events), on_event, tracer, NULL);
	if (!tracer->ring)
		return error_set(error, errno, "cannot map the event ring: %s", strerror(errno));
	return 0;
}

/* The program vector_NAME is for the tracepoint NAME, which not all kernels have. */
static void choose_interrupts(struct tracer *tracer, bool wants)
{
	static const char prefix[] = "vector_";
	struct btf *btf = wants ? btf__load_vmlinux_btf() : NULL;
	struct bpf_program *program;

	bpf_program__set_autoload(tracer->bpf->progs.trace_interrupt_entry, wants);
	bpf_program__set_autoload(tracer->bpf->progs.trace_interrupt_exit, wants);
	bpf_program__set_autoload(tracer->bpf->progs.trace_soft_entry, wants);
	bpf_program__set_autoload(tracer->bpf->progs.trace_soft_exit, wants);
	bpf_object__for_each_program(program, tracer->bpf->obj)
	{
		const char *name = bpf_program__name(program);
		if (strncmp(name, prefix, strlen(prefix)) != 0)
			continue;
		AUTO(text) char *type = text_format("btf_trace_%s", name + strlen(prefix));
		bpf_program__set_autoload(program,
					  btf && btf__find_by_name_kind(btf, type,
									BTF_KIND_TYPEDEF) > 0);
	}
	btf__free(btf);
}

static void choose_messages(struct tracer *tracer, bool wants)
{
	tracer->has_messages = wants && kernel_features_find().has_socket_messages;
	bpf_program__set_autoload(tracer->bpf->progs.trace_send_begin, tracer->has_messages);
	bpf_program__set_autoload(tracer->bpf->progs.trace_sent, tracer->has_messages);
	bpf_program__set_autoload(tracer->bpf->progs.trace_received, tracer->has_messages);
}

bool tracer_has_messages(const struct tracer *tracer)
{
	return tracer->has_messages;
}

static int load(struct tracer *tracer, const struct tracer_options *options, struct error *error)
{
	tracer->bpf = trace_bpf__open();
	if (!tracer->bpf)
		return error_set(error, errno, "cannot open the BPF programs: %s", strerror(errno));
	tracer->bpf->rodata->ring_size = tracer->ring_size;
	bpf_map__set_max_entries(tracer->bpf->maps.logs, tracer->ring_size * tracer->cores);
	bpf_map__set_max_entries(tracer->bpf->maps.unwind_rows, 1); /* no stacks here */
	choose_interrupts(tracer, options->wants_interrupts);
	choose_messages(tracer, options->wants_messages);
	bpf_program__set_autoload(tracer->bpf->progs.trace_write, options->wants_texts);
	int code = trace_bpf__load(tracer->bpf);
	code = code ? code : bpf_loader_note_engine(tracer->bpf->progs.note_engine);
	if (code)
		return bpf_loader_explain(code, error);
	tracer->bpf->bss->settings.is_system_wide = options->is_system_wide;
	code = map_logs(tracer, error);
	if (code)
		return code;
	code = trace_bpf__attach(tracer->bpf);
	if (code)
		return error_set(error, code, "cannot attach to the scheduler's tracepoints: %s",
				 strerror(-code));
	return 0;
}

int tracer_open(const struct tracer_options *options, struct tracer **tracer, struct error *error)
{
	struct tracer *opened = memory_new(1, sizeof(*opened));

	bpf_loader_set_verbose(options->verbose);
	choose_sizes(opened);
	int code = bpf_loader_check_cores(error);
	code = code ? code : load(opened, options, error);
	if (code) {
		tracer_close(opened);
		return code;
	}
	*tracer = opened;
	return 0;
}

void tracer_close(struct tracer *tracer)
{
	if (!tracer)
		return;
	for (unsigned i = 0; i < tracer->probe_count; i++)
		bpf_link__destroy(tracer->probes[i]);
	ring_buffer__free(tracer->ring);
	if (tracer->logs)
		munmap((void *)(uintptr_t)tracer->logs, tracer->log_bytes);
	trace_bpf__destroy(tracer->bpf);
	free(tracer);
}

void tracer_add_process(struct tracer *tracer, pid_t pid)
{
	__u32 id = (__u32)pid & (WIRE_PIDS_MOST - 1);
	__atomic_or_fetch(&tracer->bpf->bss->members[id / 64], 1ull << (id & 63), __ATOMIC_RELAXED);
}

int tracer_add_probe(struct tracer *tracer, unsigned probe, const struct bpf_uprobe_place *place,
		     const char *path, struct error *error)
{
	if (tracer->probe_count == TRACER_PROBES_MOST)
		return error_set(error, -ENOSPC, "there are more than %d places of probes",
				 TRACER_PROBES_MOST);
	struct bpf_link *link = bpf_uprobe_attach(tracer->bpf->progs.trace_probe, place, probe);
	if (!link)
		return error_set(error, errno, "cannot attach to the probe in %s: %s", path,
				 strerror(errno));
	tracer->probes[tracer->probe_count++] = link;
	return 0;
}

void tracer_start(struct tracer *tracer)
{
	overhead_start(&tracer->overhead, tracer->bpf->obj);
	__atomic_store_n(&tracer->bpf->bss->settings.is_on, 1, __ATOMIC_RELEASE);
}

void tracer_stop(struct tracer *tracer)
{
	__atomic_store_n(&tracer->bpf->bss->settings.is_on, 0, __ATOMIC_RELEASE);
}

/* In at most two batches: the ring wraps. */
static void drain_core(struct tracer *tracer, unsigned cpu, const struct tracer_handler *handler)
{
	struct scheduler_ring *ring = &tracer->bpf->bss->rings[cpu];
	uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
	const struct scheduler_event *log = tracer->logs + (size_t)cpu * tracer->ring_size;

	while (ring->tail < head) {
		size_t at = ring->tail & (tracer->ring_size - 1), count = head - ring->tail;
		if (count > tracer->ring_size - at)
			count = tracer->ring_size - at;
		if (handler->scheduler)
			handler->scheduler(handler->context, cpu, log + at, count);
		__atomic_store_n(&ring->tail, ring->tail + count, __ATOMIC_RELEASE);
	}
}

void tracer_drain(struct tracer *tracer, const struct tracer_handler *handler)
{
	for (unsigned cpu = 0; cpu < tracer->cores; cpu++)
		drain_core(tracer, cpu, handler);
	tracer->handler = handler;
	ring_buffer__consume(tracer->ring);
	tracer->handler = NULL;
	overhead_poll(&tracer->overhead);
}

uint64_t tracer_lost_on(const struct tracer *tracer, unsigned cpu)
{
	return cpu < tracer->cores ? tracer->bpf->bss->rings[cpu].lost : 0;
}

void tracer_counters(const struct tracer *tracer, struct tracer_counters *counters)
{
	memset(counters, 0, sizeof(*counters));
	for (unsigned cpu = 0; cpu < tracer->cores; cpu++)
		counters->lost += tracer->bpf->bss->rings[cpu].lost;
	counters->lost_events = tracer->bpf->bss->totals.lost_events;
}

void tracer_overhead(struct tracer *tracer, struct recording_overhead *row)
{
	overhead_end(&tracer->overhead, row);
}
