/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine - the kernel engine: loads the BPF programs, hands on their events, sums up their
 * counters.
 *
 * Nothing is pinned: programs, maps and events belong to this process's descriptors and go with it,
 * whatever ends it.
 */
#include "collect/kernel/engine.h"

#include "base/cleanup.h"
#include "base/cores.h"
#include "base/memory.h"
#include "collect/bpf/kernel_features.h"
#include "collect/bpf/loader.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define PAUSE_CAP_NS 2000000

/* What this kernel does not have is not loaded: see leave_syscall in bpf/lever.bpf.c. */
static void choose_programs(struct lever_bpf *bpf, const struct kernel_features *features,
			    bool has_hosts)
{
	bool is_new = features->has_prepare_exec && features->has_early_exit;

	bpf_program__set_autoload(bpf->progs.sched_prepare_exec, features->has_prepare_exec);
	bpf_program__set_autoload(bpf->progs.sched_exit, features->has_sched_exit);
	bpf_program__set_autoload(bpf->progs.signal_deliver, !is_new);
	bpf_program__set_autoload(bpf->progs.leave_syscall, !is_new);
	bpf_program__set_autoload(bpf->progs.packet, has_hosts);
	bpf_program__set_autoload(bpf->progs.host_messages, has_hosts);
	bpf_program__set_autoload(bpf->progs.sock_recv_length, features->has_socket_messages);
	bpf_program__set_autoload(bpf->progs.sock_send_length, features->has_socket_messages);
	bpf_program__set_autoload(bpf->progs.message_call, !features->has_socket_messages);
}

/* Exits before entries: an unmatched entry would stick. */
static int attach_programs(struct kernel_engine *kernel, struct error *error)
{
	struct bpf_program *exits_first[] = {
		kernel->bpf->progs.irq_handler_exit,     kernel->bpf->progs.hrtimer_expire_exit,
		kernel->bpf->progs.softirq_exit,         kernel->bpf->progs.irq_handler_entry,
		kernel->bpf->progs.hrtimer_expire_entry, kernel->bpf->progs.softirq_raise,
		kernel->bpf->progs.softirq_entry,        kernel->bpf->progs.sched_process_fork,
		kernel->bpf->progs.sched_process_exec,   kernel->bpf->progs.sched_prepare_exec,
		kernel->bpf->progs.sched_process_exit,   kernel->bpf->progs.signal_deliver,
		kernel->bpf->progs.sched_waking,         kernel->bpf->progs.sched_switch,
		kernel->bpf->progs.sched_exit,
	};
	for (size_t i = 0; i < sizeof(exits_first) / sizeof(*exits_first); i++) {
		struct bpf_program *program = exits_first[i];
		if (!bpf_program__autoload(program))
			continue;
		int code = kernel_add_link(kernel, bpf_program__attach(program));
		if (code)
			return error_set(error, code, "cannot attach to the tracepoint %s: %s",
					 bpf_program__name(program), strerror(-code));
	}
	return 0;
}

/*
 * On older kernels: the last events at which a program's memory can still be read. The numbers of
 * these tracepoints are for root only; without them, a process counts up to its last sample.
 */
static int attach_leave_syscalls(struct kernel_engine *kernel, struct error *error)
{
	static const char *const calls[] = {"sys_enter_execve", "sys_enter_execveat",
					    "sys_enter_exit", "sys_enter_exit_group"};
	struct bpf_program *program = kernel->bpf->progs.leave_syscall;

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls) && bpf_program__autoload(program);
	     i++) {
		struct bpf_link *link;
		int code = kernel_attach_tracepoint(program, "syscalls", calls[i], 0, &link, error);
		if (code == -EPERM || code == -EACCES) {
			kernel->misses_exits = true;
			if (error)
				*error = (struct error){0};
			return 0;
		}
		code = code ? code : kernel_add_link(kernel, link);
		if (code)
			return code;
	}
	return 0;
}

static bool is_whole_sample(const void *data, size_t size)
{
	const struct wire_sample *sample = data;
	const struct kernel_chain *chain = data;

	if (size < sizeof(*sample))
		return false;
	return !(sample->flags & WIRE_SAMPLE_CHAIN) ||
	       (size >= offsetof(struct kernel_chain, addresses) &&
		chain->count <=
			(size - offsetof(struct kernel_chain, addresses)) / sizeof(uint64_t));
}

static bool is_whole_callers(const void *data, size_t size)
{
	const struct kernel_callers *callers = data;
	size_t head = offsetof(struct kernel_callers, frames);

	return size >= head && callers->count <= (size - head) / sizeof(*callers->frames);
}

static int on_event(void *context, void *data, size_t size)
{
	struct kernel_engine *kernel = context;
	const struct collector_handler *handler = kernel->handler;
	uint32_t kind = size >= sizeof(uint32_t) ? *(uint32_t *)data : 0;

	if (!handler)
		return 0;
	if (kind == KERNEL_EVENT_SAMPLE && is_whole_sample(data, size))
		handler->sample(handler->context, data);
	else if (kind == KERNEL_EVENT_OBJECT && size >= sizeof(struct kernel_object_event))
		handler->object(handler->context, data);
	else if (kind == KERNEL_EVENT_PYTHON_CODE) {
		if (handler->python_code)
			handler->python_code(handler->context, data, size);
	} else if (kind == KERNEL_EVENT_NAME) {
		if (handler->name && size >= sizeof(struct kernel_name_event))
			handler->name(handler->context, data);
	} else if (kind == KERNEL_EVENT_CALLERS) {
		if (handler->callers && is_whole_callers(data, size))
			handler->callers(handler->context, data);
	} else if (size >= sizeof(struct kernel_process_event))
		handler->process(handler->context, data);
	return 0;
}

static int load(struct kernel_engine *kernel, bool has_hosts, struct error *error)
{
	kernel->bpf = lever_bpf__open();
	if (!kernel->bpf)
		return error_set(error, errno, "cannot open the BPF programs: %s", strerror(errno));
	struct kernel_features features = kernel_features_find();
	choose_programs(kernel->bpf, &features, has_hosts);
	int code = lever_bpf__load(kernel->bpf);
	code = code ? code : bpf_loader_note_engine(kernel->bpf->progs.note_engine);
	if (code)
		return bpf_loader_explain(code, error);
	kernel->ring =
		ring_buffer__new(bpf_map__fd(kernel->bpf->maps.events), on_event, kernel, NULL);
	if (!kernel->ring)
		return error_set(error, errno, "cannot map the event ring: %s", strerror(errno));
	kernel->collector.settings = &kernel->bpf->bss->settings;
	kernel->collector.ranges = kernel->bpf->bss->ranges;
	kernel->collector.points = kernel->bpf->bss->points;
	kernel->collector.delay_ns = (const uint64_t *)&kernel->bpf->bss->delay_ns;
	kernel->collector.pythons = (struct python_table){
		.pythons = kernel->bpf->bss->pythons,
		.of_object = kernel->bpf->bss->python_of_object,
		.totals = &kernel->bpf->bss->python_totals,
	};
	return unwind_table_open(&kernel->collector.unwind,
				 bpf_map__fd(kernel->bpf->maps.unwind_rows),
				 kernel->bpf->bss->unwind_objects, error);
}

static void kernel_close(struct collector *collector)
{
	struct kernel_engine *kernel = kernel_of(collector);

	if (collector->settings)
		collector_disarm(collector);
	clocks_close(&kernel->clocks);
	for (size_t i = 0; i < kernel->link_count; i++)
		bpf_link__destroy(kernel->links[i]);
	ring_buffer__free(kernel->ring);
	unwind_table_close(&collector->unwind);
	lever_bpf__destroy(kernel->bpf);
	free(kernel);
}

static void kernel_start(struct collector *collector)
{
	clocks_enable(&kernel_of(collector)->clocks, true);
}

static int kernel_name_object(struct collector *collector, const struct wire_file *file,
			      uint32_t object)
{
	int map = bpf_map__fd(kernel_of(collector)->bpf->maps.objects);
	return bpf_map_update_elem(map, file, &object, BPF_ANY) ? -errno : 0;
}

static bool is_visits_map_full(const struct kernel_engine *kernel)
{
	int map = bpf_map__fd(kernel->bpf->maps.visits_by_process);
	struct kernel_visit_key key, *last = NULL;
	unsigned count = 0;

	for (; count < KERNEL_VISIT_KEYS_MOST && !bpf_map_get_next_key(map, last, &key); count++)
		last = &key;
	return count == KERNEL_VISIT_KEYS_MOST;
}

/* By the program itself, as lever.h's are. */
static bool has_points_in_memory(const struct collector *collector)
{
	bool has = false;

	for (unsigned i = 0; i < collector_point_count(collector); i++)
		has |= collector_point(collector, i)->kind < WIRE_POINT_ENGINE;
	return has;
}

static char *kernel_note(const struct collector *collector)
{
	struct kernel_engine *kernel = kernel_of(collector);
	char *text = NULL;

	kernel_note_probe_cost(kernel, &text);
	if (is_visits_map_full(kernel))
		text_add_line(&text,
			      text_format("visits are counted by process for the first %d pairs of "
					  "a process and a point only; the totals hold all visits; "
					  "profile fewer processes at once",
					  KERNEL_VISIT_KEYS_MOST));
	if (kernel->bpf->bss->totals.has_deep_spans)
		text_add_line(
			&text,
			text_format("a thread had more than %d open spans: the lengths of the "
				    "inner ones are not measured, so percentiles of latency "
				    "lack them; measure an outer span with --latency",
				    SPAN_TRACKER_DEPTH));
	if (kernel->misses_exits && has_points_in_memory(collector))
		text_add_line(&text,
			      text_copy("what a process counts after its last sample is lost when "
					"it ends: on this kernel the tracepoints for that are for "
					"root only; run as root"));
	return text;
}

static void add_core(struct collector_counters *counters, const struct kernel_cpu *core)
{
	counters->samples += core->samples;
	counters->sampled_ns += core->sampled_ns + core->waited_ns;
	counters->waited_ns += core->waited_ns;
	counters->cpu_ns += core->run.cpu_ns;
	counters->target_samples += core->target_samples;
	counters->target_ns += core->target_ns;
	counters->hand_overs += core->hand_overs;
	counters->timed_waits += core->timed_waits;
	counters->short_naps += core->short_naps;
	counters->short_naps_ns += core->short_naps_ns;
	for (unsigned i = 0; i < DELAY_SPIN_LAGS; i++) {
		counters->spin_repeats.seen[i] += core->spin_repeats.seen[i];
		counters->spin_repeats.expected[i] += core->spin_repeats.expected[i];
	}
	counters->spin_repeats.spinning_ns += core->spin_repeats.spinning_ns;
	counters->lost += core->lost;
	counters->capped += core->capped;
	counters->displaced_ns += core->displaced_ns;
	counters->crowded_ns += core->crowded_ns;
	counters->unused_ns += core->unused_ns;
	counters->unwound_badly += core->unwound_badly;
	counters->failed_lookups += core->failed_lookups;
	counters->ticks += core->ticks;
	counters->spins += core->spins;
	counters->spun_ns += core->delay.paused_ns;
	counters->overshoot_ns += core->overshoot_ns;
	counters->tick_spins += core->tick_spins;
	counters->wake_spins += core->wake_spins;
	counters->switch_spins += core->switch_spins;
	if (core->longest_spin_ns > counters->longest_spin_ns)
		counters->longest_spin_ns = core->longest_spin_ns;
}

static void kernel_counters(const struct collector *collector, struct collector_counters *counters)
{
	const struct kernel_engine *kernel = kernel_of(collector);
	const struct kernel_totals *totals = &kernel->bpf->bss->totals;

	for (unsigned cpu = 0; cpu < collector->facts.cpus; cpu++)
		add_core(counters, &kernel->bpf->bss->cpus[cpu]);
	counters->lost_events = totals->lost_events;
	counters->dropped_points = totals->dropped_points + totals->dropped_in_program;
	counters->untracked_tasks = totals->untracked_tasks + totals->untracked_spaces;
}

static int kernel_drain(struct collector *collector, const struct collector_handler *handler)
{
	struct kernel_engine *kernel = kernel_of(collector);

	kernel->handler = handler;
	int consumed = ring_buffer__consume(kernel->ring);
	kernel->handler = NULL;
	clocks_follow_cores(&kernel->clocks);
	return consumed;
}

static int kernel_descriptor(const struct collector *collector)
{
	return ring_buffer__epoll_fd(kernel_of(collector)->ring);
}

static const struct engine kernel_table = {
	.name = "kernel",
	.samples_when_disarmed = true,
	.sees_open_windows = true,
	.close = kernel_close,
	.note = kernel_note,
	.add_point_uprobe = kernel_add_point_uprobe,
	.add_point_tracepoint = kernel_add_point_tracepoint,
	.add_point_requests = kernel_add_point_requests,
	.add_listening_port = kernel_add_listening_port,
	.each_peer = kernel_each_peer,
	.service = kernel_service,
	.add_peer = kernel_add_peer,
	.each_visiting_process = kernel_each_visiting_process,
	.add_task = kernel_add_task,
	.add_process = kernel_add_process,
	.exclude_process = kernel_exclude_process,
	.follow_all = kernel_follow_all,
	.filter_name = kernel_filter_name,
	.announce_names = kernel_announce_names,
	.start = kernel_start,
	.name_object = kernel_name_object,
	.host_messages = kernel_host_messages,
	.set_period = kernel_set_period,
	.sum_pairs = kernel_sum_pairs,
	.lengths_begin = kernel_lengths_begin,
	.lengths_end = kernel_lengths_end,
	.pair_lengths = kernel_pair_lengths,
	.window_visits = kernel_window_visits,
	.count_calls = kernel_count_calls,
	.counters = kernel_counters,
	.drain = kernel_drain,
	.descriptor = kernel_descriptor,
};

static int set_up(struct kernel_engine *kernel, const struct collector_options *options,
		  struct error *error)
{
	struct wire_settings *settings;
	unsigned cpus = cores_possible();

	if (cpus > KERNEL_CPUS_MOST)
		return error_set(error, -E2BIG,
				 "this machine has %u cores; the kernel engine can pause %d at "
				 "most; use --engine runtime",
				 cpus, KERNEL_CPUS_MOST);
	kernel->collector.facts.cpus = cpus;
	int code = load(kernel, options->hosts, error);
	if (code)
		return code;
	settings = kernel->collector.settings;
	settings->delay.cap_ns = PAUSE_CAP_NS;
	settings->delay.is_disarmed = 1;
	collector_heartbeat(&kernel->collector);
	code = attach_programs(kernel, error);
	code = code ? code : attach_leave_syscalls(kernel, error);
	if (options->hosts)
		code = code ? code : kernel_hosts_open(kernel, options->hosts, error);
	code = code ? code : kernel_clock_open(kernel, options->period_ns, error);
	code = code ? code : kernel_clock_calibrate(kernel, error);
	if (code)
		return code;
	settings->enable_waits = options->counts_waits;
	settings->delay.is_disarmed = 0;
	return 0;
}

int kernel_engine_open(const struct collector_options *options, struct collector **collector,
		       struct error *error)
{
	struct kernel_engine *kernel = memory_new(1, sizeof(*kernel));

	kernel->collector.engine = &kernel_table;
	bpf_loader_set_verbose(options->verbose);
	clocks_clear(&kernel->clocks);
	int code = set_up(kernel, options, error);
	if (code) {
		kernel_close(&kernel->collector);
		return code;
	}
	*collector = &kernel->collector;
	return 0;
}
