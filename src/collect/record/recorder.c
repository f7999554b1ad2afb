/* SPDX-License-Identifier: BSD-2-Clause */
/* recorder - loads bpf/record.bpf.c, names the processes to record, hands on its events. */
#include "collect/record/recorder.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "collect/bpf/clocks.h"
#include "collect/bpf/kernel_features.h"
#include "collect/bpf/loader.h"
#include "collect/bpf/overhead.h"
#include "collect/record/perf_sampler.h"
#include "collect/unwind_table.h"
#include "profile/recording.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#pragma GCC diagnostic push /* made by bpftool */
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Woverlength-strings"
#include "record.skel.h"
#pragma GCC diagnostic pop

#define DRAW_NS 40000000ull /* between draws of periods, at least */
#define RATE_SPREAD 0.2
#define MEASURE_PERIOD_NS 200000ull
#define MEASURE_NS (40 * MEASURE_PERIOD_NS)

struct recorder {
	struct perf_sampler *perf; /* instead of all that follows, where BPF is refused */
	struct record_bpf *bpf;
	struct record_bpf *late; /* record_blocked, over the maps of `bpf`; NULL: not needed yet */
	struct ring_buffer *ring;
	const struct recorder_handler *handler; /* while draining */
	struct clocks clocks;
	struct unwind_table unwind;
	struct python_table pythons;
	struct overhead overhead;
	uint64_t tick_ns;         /* what a tick takes beside its BPF program */
	uint64_t drawn_ns;        /* when a period was drawn */
	unsigned short random[3]; /* erand48's */
};

static int on_event(void *context, void *data, size_t size)
{
	struct recorder *recorder = context;
	const struct recorder_handler *handler = recorder->handler;
	uint32_t kind = size >= sizeof(uint32_t) ? *(uint32_t *)data : 0;

	if (!handler)
		return 0;
	bool is_sample = kind == RECORD_EVENT_SAMPLE || kind == RECORD_EVENT_WAKEUP;
	if (is_sample && size >= offsetof(struct record_sample, user))
		handler->sample(handler->context, data);
	else if (kind == KERNEL_EVENT_OBJECT && size >= sizeof(struct kernel_object_event))
		handler->object(handler->context, data);
	else if (kind == KERNEL_EVENT_PYTHON_CODE)
		handler->python_code(handler->context, data, size);
	else if (size >= sizeof(struct kernel_process_event))
		handler->process(handler->context, data);
	return 0;
}

static int load(struct recorder *recorder, struct error *error)
{
	recorder->bpf = record_bpf__open();
	if (!recorder->bpf)
		return error_set(error, errno, "cannot open the BPF programs: %s", strerror(errno));
	bool has_exit = kernel_features_find().has_sched_exit;
	recorder->bpf->rodata->has_exit = has_exit;
	bpf_program__set_autoload(recorder->bpf->progs.record_exit, has_exit);
	bpf_program__set_autoload(recorder->bpf->progs.record_blocked, false);
	if (has_exit)
		bpf_map__set_max_entries(recorder->bpf->maps.held, 1);
	int code = record_bpf__load(recorder->bpf);
	code = code ? code : bpf_loader_note_engine(recorder->bpf->progs.note_engine);
	if (code)
		return bpf_loader_explain(code, error);
	recorder->ring =
		ring_buffer__new(bpf_map__fd(recorder->bpf->maps.events), on_event, recorder, NULL);
	if (!recorder->ring)
		return error_set(error, errno, "cannot map the event ring: %s", strerror(errno));
	recorder->pythons = (struct python_table){
		.pythons = recorder->bpf->bss->pythons,
		.of_object = recorder->bpf->bss->python_of_object,
		.totals = &recorder->bpf->bss->python_totals,
	};
	return unwind_table_open(&recorder->unwind, bpf_map__fd(recorder->bpf->maps.unwind_rows),
				 recorder->bpf->bss->unwind_objects, error);
}

static void fill_settings(struct recorder *recorder, const struct recorder_options *options)
{
	struct record_settings *settings = &recorder->bpf->bss->settings;

	settings->period_ns = options->period_ns;
	settings->unwinding = options->unwinding;
	settings->is_system_wide = options->is_system_wide;
	for (unsigned cpu = 0; cpu < KERNEL_CPUS_MOST; cpu++)
		for (unsigned i = 0; i < RECORD_CLOCKS; i++) {
			struct record_clock *clock =
				&recorder->bpf->bss->record_cpus[cpu].clocks[i];
			clock->opened_ns = clock->period_ns =
				clocks_period_on(options->period_ns, cpu, i, RECORD_CLOCKS);
		}
}

/* At a short period, as the program waits for the end of the measurement. */
static int measure_tick(struct recorder *recorder, uint64_t period_ns, struct error *error)
{
	int code = clocks_set_period(&recorder->clocks, MEASURE_PERIOD_NS, error);

	if (code)
		return code;
	recorder->tick_ns = clocks_measure_tick(&recorder->clocks, MEASURE_PERIOD_NS, MEASURE_NS,
						&(const struct clocks_ticks){0});
	return clocks_set_period(&recorder->clocks, period_ns, error);
}

static int open_bpf(struct recorder *opened, const struct recorder_options *options,
		    struct error *error)
{
	const char *assume_none = getenv("LEVER_ASSUME_NO_BPF");

	if (assume_none && !strcmp(assume_none, "1"))
		return error_set(error, -EPERM, "LEVER_ASSUME_NO_BPF is set: BPF is not used");
	bpf_loader_set_verbose(options->verbose);
	int code = bpf_loader_check_cores(error);
	code = code ? code : load(opened, error);
	if (code)
		return code;
	fill_settings(opened, options);
	code = record_bpf__attach(opened->bpf);
	if (code)
		return error_set(error, code, "cannot attach to the scheduler's tracepoints: %s",
				 strerror(-code));
	code = clocks_open(&opened->clocks, bpf_program__fd(opened->bpf->progs.record_tick),
			   options->period_ns, RECORD_CLOCKS, error);
	return code ? code : measure_tick(opened, options->period_ns, error);
}

static void close_bpf(struct recorder *recorder)
{
	clocks_close(&recorder->clocks);
	ring_buffer__free(recorder->ring);
	unwind_table_close(&recorder->unwind);
	recorder->pythons = (struct python_table){0};
	record_bpf__destroy(recorder->late);
	record_bpf__destroy(recorder->bpf);
	recorder->ring = NULL;
	recorder->late = NULL;
	recorder->bpf = NULL;
}

int recorder_open(const struct recorder_options *options, struct recorder **recorder,
		  struct error *error)
{
	struct recorder *opened = memory_new(1, sizeof(*opened));
	struct error refused = {0};

	clocks_clear(&opened->clocks);
	if (getrandom(opened->random, sizeof(opened->random), 0) < 0)
		opened->random[0] = (unsigned short)getpid();
	int code = open_bpf(opened, options, &refused);
	if (code == -EPERM || code == -EACCES) {
		struct error later = {0};
		close_bpf(opened);
		code = perf_sampler_open(options, &opened->perf, &later);
		if (code)
			error_set(error, code, "%s; in its place, %s", refused.text, later.text);
	} else if (code) {
		*error = refused;
	}
	if (code) {
		recorder_close(opened);
		return code;
	}
	*recorder = opened;
	return 0;
}

void recorder_close(struct recorder *recorder)
{
	if (!recorder)
		return;
	close_bpf(recorder);
	perf_sampler_close(recorder->perf);
	free(recorder);
}

const char *recorder_limits(const struct recorder *recorder)
{
	return recorder->perf ? perf_sampler_limits(recorder->perf) : NULL;
}

int recorder_add_process(struct recorder *recorder, pid_t pid, struct error *error)
{
	__u32 id = (__u32)pid & (WIRE_PIDS_MOST - 1);

	if (recorder->perf)
		return perf_sampler_add_process(recorder->perf, pid, error);
	__atomic_or_fetch(&recorder->bpf->bss->members[id / 64], 1ull << (id & 63),
			  __ATOMIC_RELAXED);
	return 0;
}

void recorder_start(struct recorder *recorder)
{
	overhead_start(&recorder->overhead, recorder->perf ? NULL : recorder->bpf->obj);
	if (recorder->perf) {
		perf_sampler_start(recorder->perf);
		return;
	}
	__atomic_store_n(&recorder->bpf->bss->settings.is_on, 1, __ATOMIC_RELEASE);
	clocks_enable(&recorder->clocks, true);
}

void recorder_stop(struct recorder *recorder)
{
	if (recorder->perf) {
		perf_sampler_stop(recorder->perf);
		return;
	}
	clocks_enable(&recorder->clocks, false);
	__atomic_store_n(&recorder->bpf->bss->settings.is_on, 0, __ATOMIC_RELEASE);
}

static int share_maps(struct record_bpf *late, const struct record_bpf *bpf)
{
	struct bpf_map *map = NULL, *shared = NULL;
	int code = 0;

	/* Both were made of the same object, so their maps have one order. */
	while (!code && (map = bpf_object__next_map(late->obj, map)) &&
	       (shared = bpf_object__next_map(bpf->obj, shared)))
		code = bpf_map__reuse_fd(map, bpf_map__fd(shared));
	return code;
}

int recorder_prepare_blocked(struct recorder *recorder, struct error *error)
{
	struct bpf_program *program;

	if (recorder->perf || recorder->late)
		return 0;
	recorder->late = record_bpf__open();
	if (!recorder->late)
		return error_set(error, errno, "cannot open the BPF programs: %s", strerror(errno));
	bpf_object__for_each_program(program, recorder->late->obj)
		bpf_program__set_autoload(program, program == recorder->late->progs.record_blocked);
	int code = share_maps(recorder->late, recorder->bpf);
	code = code ? code : record_bpf__load(recorder->late);
	return code ? bpf_loader_explain(code, error) : 0;
}

static int sample_by_iterator(struct recorder *recorder, struct error *error)
{
	int loaded = recorder_prepare_blocked(recorder, error);
	if (loaded)
		return loaded;
	struct bpf_link *link =
		bpf_program__attach_iter(recorder->late->progs.record_blocked, NULL);
	AUTO(fd) int iterator = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	int code = link && iterator >= 0 ? 0 : -errno;
	char nothing[64];

	while (!code && read(iterator, nothing, sizeof(nothing)) > 0)
		;
	bpf_link__destroy(link);
	return code ? error_set(error, code, "cannot read the stacks of waiting tasks: %s",
				strerror(-code)) :
		      0;
}

int recorder_sample_blocked(struct recorder *recorder, const struct recorder_handler *handler,
			    struct error *error)
{
	recorder_drain(recorder, handler);
	if (recorder->perf) {
		perf_sampler_flush(recorder->perf, handler);
		return 0;
	}
	int code = sample_by_iterator(recorder, error);
	recorder_drain(recorder, handler);
	return code;
}

int recorder_name_object(struct recorder *recorder, const struct wire_file *file, uint32_t object)
{
	if (recorder->perf) {
		perf_sampler_name_object(recorder->perf, file, object);
		return 0;
	}
	int map = bpf_map__fd(recorder->bpf->maps.objects);
	return bpf_map_update_elem(map, file, &object, BPF_ANY) ? -errno : 0;
}

int recorder_set_unwind(struct recorder *recorder, uint32_t object,
			const struct wire_unwind_row *rows, size_t count)
{
	if (recorder->perf) {
		perf_sampler_set_unwind(recorder->perf, object, rows, count);
		return 0;
	}
	return unwind_table_add(&recorder->unwind, object, rows, count);
}

void recorder_unname_file(struct recorder *recorder, const struct wire_file *file)
{
	bpf_map_delete_elem(bpf_map__fd(recorder->bpf->maps.objects), file);
}

void recorder_drop_unwind(struct recorder *recorder, uint32_t object)
{
	unwind_table_drop(&recorder->unwind, object);
}

int recorder_set_python(struct recorder *recorder, uint32_t object,
			const struct wire_python *python)
{
	return python_table_add(&recorder->pythons, object, python);
}

/* Draws one clock's period anew, its rate within RATE_SPREAD of that of its opening. */
static void draw_period(struct recorder *recorder, unsigned cpu, unsigned number)
{
	struct record_clock *clock = &recorder->bpf->bss->record_cpus[cpu].clocks[number];
	double rate = 1 + RATE_SPREAD * (2 * erand48(recorder->random) - 1);
	uint64_t period_ns = (uint64_t)((double)clock->opened_ns / rate);

	__atomic_store_n(&clock->period_ns, period_ns, __ATOMIC_RELAXED);
	clock_set_period(&recorder->clocks, cpu, number, period_ns);
}

/* A program of nearly constant period would be sampled at the same points for long. */
static void draw_periods(struct recorder *recorder)
{
	uint64_t now_ns = clock_now_ns();

	if (now_ns - recorder->drawn_ns < DRAW_NS)
		return;
	recorder->drawn_ns = now_ns;
	for (unsigned cpu = 0; cpu < recorder->clocks.cores && cpu < KERNEL_CPUS_MOST; cpu++)
		for (unsigned i = 0; i < RECORD_CLOCKS; i++)
			draw_period(recorder, cpu, i);
}

void recorder_drain(struct recorder *recorder, const struct recorder_handler *handler)
{
	if (recorder->perf) {
		perf_sampler_drain(recorder->perf, handler);
		return;
	}
	recorder->handler = handler;
	ring_buffer__consume(recorder->ring);
	recorder->handler = NULL;
	clocks_follow_cores(&recorder->clocks);
	draw_periods(recorder);
	overhead_poll(&recorder->overhead);
}

int recorder_descriptor(const struct recorder *recorder)
{
	return recorder->perf ? perf_sampler_descriptor(recorder->perf) :
				ring_buffer__epoll_fd(recorder->ring);
}

void recorder_counters(const struct recorder *recorder, struct recorder_counters *counters)
{
	if (recorder->perf) {
		perf_sampler_counters(recorder->perf, counters);
		return;
	}
	memset(counters, 0, sizeof(*counters));
	for (unsigned cpu = 0; cpu < KERNEL_CPUS_MOST; cpu++) {
		const struct record_cpu *core = &recorder->bpf->bss->record_cpus[cpu];
		counters->samples += core->samples;
		counters->lost += core->lost;
		counters->truncated += core->truncated;
		counters->overwritten += core->overwritten;
		counters->not_held += core->not_held;
	}
	counters->lost_events = recorder->bpf->bss->totals.lost_events;
	counters->untracked_spaces = recorder->bpf->bss->totals.untracked_spaces;
}

void recorder_overhead(struct recorder *recorder, struct recording_overhead *row)
{
	struct recorder_counters counters;

	overhead_end(&recorder->overhead, row);
	recorder_counters(recorder, &counters);
	row->knows_kernel = row->knows_kernel && recorder->tick_ns;
	row->kernel_ns += counters.samples * recorder->tick_ns;
}
