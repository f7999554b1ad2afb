/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel - the kernel engine: loads the BPF programs, arms experiments, reads what they counted.
 *
 * Nothing is pinned: programs, maps and events belong to this process's descriptors and go with it,
 * whatever ends it.
 */
#include "collect/kernel/engine.h"

#include "base/clock.h"
#include "base/memory.h"
#include "collect/bpf/kernel_features.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* What this kernel does not have is not loaded: see leave_syscall in bpf/lever.bpf.c. */
static void choose_programs(struct lever_bpf *bpf, const struct kernel_features *features)
{
	bool is_new = features->has_prepare_exec && features->has_early_exit;

	bpf_program__set_autoload(bpf->progs.sched_prepare_exec, features->has_prepare_exec);
	bpf_program__set_autoload(bpf->progs.sched_exit, features->has_sched_exit);
	bpf_program__set_autoload(bpf->progs.signal_deliver, !is_new);
	bpf_program__set_autoload(bpf->progs.leave_syscall, !is_new);
}

static int keep_link(struct collector *collector, struct bpf_link *link)
{
	if (!link)
		return errno ? -errno : -EINVAL;
	if (collector->link_count == KERNEL_LINKS_MOST) {
		bpf_link__destroy(link);
		return -E2BIG;
	}
	collector->links[collector->link_count++] = link;
	return 0;
}

/* Exits before entries: an unmatched entry would stick. */
static int attach_programs(struct collector *collector, struct error *error)
{
	struct bpf_program *exits_first[] = {
		collector->bpf->progs.irq_handler_exit,
		collector->bpf->progs.hrtimer_expire_exit,
		collector->bpf->progs.softirq_exit,
		collector->bpf->progs.irq_handler_entry,
		collector->bpf->progs.hrtimer_expire_entry,
		collector->bpf->progs.softirq_raise,
		collector->bpf->progs.softirq_entry,
		collector->bpf->progs.sched_process_fork,
		collector->bpf->progs.sched_process_exec,
		collector->bpf->progs.sched_prepare_exec,
		collector->bpf->progs.sched_process_exit,
		collector->bpf->progs.signal_deliver,
		collector->bpf->progs.sched_waking,
		collector->bpf->progs.sched_switch,
		collector->bpf->progs.sched_exit,
	};
	for (size_t i = 0; i < sizeof(exits_first) / sizeof(*exits_first); i++) {
		struct bpf_program *program = exits_first[i];
		if (!bpf_program__autoload(program))
			continue;
		int code = keep_link(collector, bpf_program__attach(program));
		if (code)
			return error_set(error, code, "cannot attach to the tracepoint %s: %s",
					 bpf_program__name(program), strerror(-code));
	}
	return 0;
}

/* On older kernels: the last moment at which a program's memory can still be read. */
static int attach_leave_syscalls(struct collector *collector, struct error *error)
{
	static const char *const calls[] = {"sys_enter_execve", "sys_enter_execveat",
					    "sys_enter_exit", "sys_enter_exit_group"};
	struct bpf_program *program = collector->bpf->progs.leave_syscall;

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls) && bpf_program__autoload(program);
	     i++) {
		struct bpf_link *link;
		int code = kernel_tracepoint_attach(program, "syscalls", calls[i], 0, &link, error);
		code = code ? code : keep_link(collector, link);
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

static int on_event(void *context, void *data, size_t size)
{
	struct collector *collector = context;
	const struct collector_handler *handler = collector->handler;
	uint32_t kind = size >= sizeof(uint32_t) ? *(uint32_t *)data : 0;

	if (!handler)
		return 0;
	if (kind == KERNEL_EVENT_SAMPLE && is_whole_sample(data, size))
		handler->sample(handler->context, data);
	else if (kind == KERNEL_EVENT_OBJECT && size >= sizeof(struct kernel_object_event))
		handler->object(handler->context, data);
	else if (kind == KERNEL_EVENT_NAME) {
		if (handler->name && size >= sizeof(struct kernel_name_event))
			handler->name(handler->context, data);
	} else if (kind == KERNEL_EVENT_CALLERS) {
		if (handler->callers && size >= sizeof(struct kernel_callers))
			handler->callers(handler->context, data);
	} else if (size >= sizeof(struct kernel_process_event))
		handler->process(handler->context, data);
	return 0;
}

static int load(struct collector *collector, struct error *error)
{
	collector->bpf = lever_bpf__open();
	if (!collector->bpf)
		return error_set(error, errno, "cannot open the BPF programs: %s", strerror(errno));
	struct kernel_features features = kernel_features_find();
	choose_programs(collector->bpf, &features);
	int code = lever_bpf__load(collector->bpf);
	if (code)
		return bpf_loader_explain(code, error);
	collector->ring = ring_buffer__new(bpf_map__fd(collector->bpf->maps.events), on_event,
					   collector, NULL);
	if (!collector->ring)
		return error_set(error, errno, "cannot map the event ring: %s", strerror(errno));
	return unwind_table_open(&collector->unwind, bpf_map__fd(collector->bpf->maps.unwind_rows),
				 collector->bpf->bss->unwind_objects, error);
}

static struct wire_settings *settings_of(struct collector *collector)
{
	return &collector->bpf->bss->settings;
}

static void set_waits(struct collector *collector, bool count)
{
	settings_of(collector)->enable_waits = count;
}

static void kernel_close(struct collector *collector)
{
	if (!collector)
		return;
	if (collector->bpf && collector->bpf->bss)
		kernel_disarm(collector);
	clocks_close(&collector->clocks);
	for (size_t i = 0; i < collector->link_count; i++)
		bpf_link__destroy(collector->links[i]);
	ring_buffer__free(collector->ring);
	unwind_table_close(&collector->unwind);
	lever_bpf__destroy(collector->bpf);
	free(collector);
}

static const struct collector_facts *kernel_facts(const struct collector *collector)
{
	return &collector->facts;
}

static int kernel_start(struct collector *collector, struct error *error)
{
	(void)error;
	kernel_heartbeat(collector);
	clocks_enable(&collector->clocks, true);
	return 0;
}

/* Fills the bank that is not in use, then switches; ticks in between still use the old one. */
static int fill_bank(struct collector *collector, unsigned first, uint32_t *selected,
		     const struct wire_range *ranges, size_t count)
{
	if (count > WIRE_RANGES_MOST)
		return -E2BIG;
	unsigned unused = !*selected;
	struct wire_range *bank = collector->bpf->bss->ranges[first + unused];

	if (count)
		memcpy(bank, ranges, count * sizeof(*ranges));
	settings_of(collector)->counts[first + unused] = (uint32_t)count;
	__atomic_store_n(selected, unused, __ATOMIC_RELEASE);
	return 0;
}

static int kernel_set_target(struct collector *collector, const struct wire_range *ranges,
			     size_t count, uint32_t classes)
{
	settings_of(collector)->classes = classes;
	return fill_bank(collector, WIRE_BANK_TARGET, &settings_of(collector)->target_bank, ranges,
			 count);
}

static int kernel_set_scope(struct collector *collector, const struct wire_range *ranges,
			    size_t count)
{
	return fill_bank(collector, WIRE_BANK_SCOPE, &settings_of(collector)->scope_bank, ranges,
			 count);
}

static int kernel_set_sampled(struct collector *collector, const struct wire_range *ranges,
			      size_t count)
{
	if (count > WIRE_RANGES_MOST)
		return -E2BIG;
	settings_of(collector)->counts[WIRE_BANK_SAMPLED] = 0;
	if (count)
		memcpy(collector->bpf->bss->ranges[WIRE_BANK_SAMPLED], ranges,
		       count * sizeof(*ranges));
	__atomic_store_n(&settings_of(collector)->counts[WIRE_BANK_SAMPLED], (uint32_t)count,
			 __ATOMIC_RELEASE);
	return 0;
}

static int kernel_name_object(struct collector *collector, const struct wire_file *file,
			      uint32_t object)
{
	int map = bpf_map__fd(collector->bpf->maps.objects);
	return bpf_map_update_elem(map, file, &object, BPF_ANY) ? -errno : 0;
}

static int kernel_set_unwind(struct collector *collector, uint32_t object,
			     const struct wire_unwind_row *rows, size_t count)
{
	return unwind_table_add(&collector->unwind, object, rows, count);
}

static void kernel_set_speedup(struct collector *collector, double speedup)
{
	kernel_heartbeat(collector);
	engine_write_speedups(settings_of(collector), speedup, 0);
}

static void kernel_speed_up_external(struct collector *collector, double speedup)
{
	kernel_heartbeat(collector);
	engine_write_speedups(settings_of(collector), 0, speedup);
}

static void kernel_clear_debts(struct collector *collector)
{
	struct wire_settings *settings = settings_of(collector);

	settings->delay.generation_delay_ns =
		__atomic_load_n(&collector->bpf->bss->delay_ns, __ATOMIC_ACQUIRE);
	settings->delay.generation_ns = clock_now_ns();
	__atomic_add_fetch(&settings->delay.generation, 1, __ATOMIC_RELEASE);
}

void kernel_disarm(struct collector *collector)
{
	kernel_set_speedup(collector, 0);
	__atomic_store_n(&settings_of(collector)->delay.is_disarmed, 1, __ATOMIC_RELEASE);
}

static void kernel_want_callers(struct collector *collector, bool want)
{
	__atomic_store_n(&settings_of(collector)->enable_callers, want, __ATOMIC_RELEASE);
}

static void sum_pairs(const struct collector *collector, int64_t *sums, int64_t *weight)
{
	memset(sums, 0, WIRE_PAIRS_MOST * sizeof(*sums));
	*weight = 0;
	for (unsigned cpu = 0; cpu < collector->facts.cpus; cpu++) {
		const struct kernel_cpu *core = &collector->bpf->bss->cpus[cpu];
		*weight += core->pair_weight_ns;
		for (int pair = 0; pair < WIRE_PAIRS_MOST; pair++)
			sums[pair] += core->pair_ns[pair];
	}
}

static uint64_t ended_of(const struct collector *collector, unsigned pair)
{
	unsigned end = collector->bpf->bss->settings.pairs[pair].end % WIRE_POINTS_MOST;
	return __atomic_load_n(&collector->bpf->bss->points[end].total, __ATOMIC_RELAXED);
}

/* Nobody adds while no window is open, but for who has just seen one open: those few count. */
static void open_lengths(struct collector *collector)
{
	memset(collector->bpf->bss->lengths, 0, sizeof(collector->bpf->bss->lengths));
	for (unsigned pair = 0; pair < WIRE_PAIRS_MOST; pair++)
		collector->pair_ended[pair] = ended_of(collector, pair);
	collector->window_open_ns = clock_now_ns();
}

static void close_lengths(struct collector *collector)
{
	collector->window_ns = clock_now_ns() - collector->window_open_ns;
	memcpy(collector->lengths, collector->bpf->bss->lengths, sizeof(collector->lengths));
	for (unsigned pair = 0; pair < WIRE_PAIRS_MOST; pair++)
		collector->pair_ended[pair] =
			ended_of(collector, pair) - collector->pair_ended[pair];
}

static struct collector_lengths kernel_pair_lengths(const struct collector *collector,
						    unsigned pair)
{
	if (pair >= WIRE_PAIRS_MOST)
		return (struct collector_lengths){0};
	return (struct collector_lengths){
		.measured = &collector->lengths[pair],
		.ended = collector->pair_ended[pair],
		.settled_ns = collector->window_open_ns -
			      collector->bpf->bss->settings.delay.generation_ns,
		.window_ns = collector->window_ns,
	};
}

static void kernel_window_open(struct collector *collector)
{
	kernel_heartbeat(collector);
	open_lengths(collector);
	sum_pairs(collector, collector->pair_start_ns, &collector->pair_weight_start_ns);
	collector->window = ++collector->windows;
	__atomic_store_n(&settings_of(collector)->window, collector->window, __ATOMIC_RELEASE);
}

static void kernel_window_close(struct collector *collector)
{
	int64_t sums[WIRE_PAIRS_MOST], weight;

	__atomic_store_n(&settings_of(collector)->window, 0, __ATOMIC_RELEASE);
	close_lengths(collector);
	sum_pairs(collector, sums, &weight);
	weight -= collector->pair_weight_start_ns;
	for (int pair = 0; pair < WIRE_PAIRS_MOST; pair++)
		collector->pair_averages[pair] =
			weight > 0 ? (double)(sums[pair] - collector->pair_start_ns[pair]) /
					     (double)weight :
				     0;
}

/* First edge of all cores to last edge of all cores. */
static struct collector_visits kernel_window_visits(const struct collector *collector,
						    unsigned point)
{
	struct collector_visits visits = {0};
	const struct kernel_edge *first = NULL, *last = NULL;

	if (point >= WIRE_POINTS_MOST)
		return visits;
	for (unsigned cpu = 0; cpu < collector->facts.cpus; cpu++) {
		const struct kernel_edge *edge = &collector->bpf->bss->edges[cpu][point];
		if (edge->window != collector->window)
			continue;
		if (!first || edge->first_ns < first->first_ns)
			first = edge;
		if (!last || edge->last_ns > last->last_ns)
			last = edge;
	}
	if (!first || last->last_total <= first->first_total || last->last_ns <= first->first_ns)
		return visits;
	visits.visits = last->last_total - first->first_total;
	visits.duration_ns = last->last_ns - first->first_ns;
	visits.delay_ns = last->last_delay_ns - first->first_delay_ns;
	return visits;
}

static double kernel_pair_average(const struct collector *collector, unsigned pair)
{
	return pair < WIRE_PAIRS_MOST ? collector->pair_averages[pair] : 0;
}

static void add_core(struct collector_counters *counters, const struct kernel_cpu *core)
{
	counters->samples += core->samples;
	counters->sampled_ns += core->sampled_ns + core->waited_ns;
	counters->waited_ns += core->waited_ns;
	counters->target_samples += core->target_samples;
	counters->target_ns += core->target_ns;
	counters->waits += core->waits;
	counters->task_wakeups += core->task_wakeups;
	counters->lost += core->lost;
	counters->capped += core->capped;
	counters->displaced_ns += core->displaced_ns;
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

static void kernel_counters(struct collector *collector, struct collector_counters *counters)
{
	memset(counters, 0, sizeof(*counters));
	kernel_heartbeat(collector);
	counters->time_ns = clock_now_ns();
	counters->delay_ns = __atomic_load_n(&collector->bpf->bss->delay_ns, __ATOMIC_ACQUIRE);
	for (unsigned cpu = 0; cpu < collector->facts.cpus; cpu++)
		add_core(counters, &collector->bpf->bss->cpus[cpu]);
	counters->missed_heartbeats = collector->missed_heartbeats;
	counters->lost_events = collector->bpf->bss->totals.lost_events;
	counters->dropped_points = collector->bpf->bss->totals.dropped_points +
				   collector->bpf->bss->totals.dropped_in_program;
	counters->untracked_tasks = collector->bpf->bss->totals.untracked_tasks +
				    collector->bpf->bss->totals.untracked_spaces;
}

void kernel_heartbeat(struct collector *collector)
{
	uint64_t now = clock_now_ns(), last = settings_of(collector)->delay.heartbeat_ns;

	if (last && now - last > DELAY_HEARTBEAT_LIMIT_NS - 100000000)
		collector->missed_heartbeats++;
	__atomic_store_n(&settings_of(collector)->delay.heartbeat_ns, now, __ATOMIC_RELEASE);
}

static int kernel_drain(struct collector *collector, const struct collector_handler *handler)
{
	kernel_heartbeat(collector);
	collector->handler = handler;
	int consumed = ring_buffer__consume(collector->ring);
	collector->handler = NULL;
	return consumed;
}

static int kernel_descriptor(const struct collector *collector)
{
	return ring_buffer__epoll_fd(collector->ring);
}

static const struct engine kernel_table = {
	.name = "kernel",
	.close = kernel_close,
	.facts = kernel_facts,
	.add_point_uprobe = kernel_add_point_uprobe,
	.add_point_tracepoint = kernel_add_point_tracepoint,
	.add_point_sampled = kernel_add_point_sampled,
	.point_count = kernel_point_count,
	.point = wire_point,
	.each_visiting_process = kernel_each_visiting_process,
	.set_pairs = kernel_set_pairs,
	.pair_average = kernel_pair_average,
	.pair_lengths = kernel_pair_lengths,
	.add_task = kernel_add_task,
	.add_process = kernel_add_process,
	.exclude_process = kernel_exclude_process,
	.follow_all = kernel_follow_all,
	.filter_name = kernel_filter_name,
	.announce_names = kernel_announce_names,
	.enable = kernel_enable,
	.start = kernel_start,
	.set_target = kernel_set_target,
	.set_scope = kernel_set_scope,
	.set_sampled = kernel_set_sampled,
	.name_object = kernel_name_object,
	.set_unwind = kernel_set_unwind,
	.set_speedup = kernel_set_speedup,
	.speed_up_external = kernel_speed_up_external,
	.clear_debts = kernel_clear_debts,
	.set_period = kernel_set_period,
	.charge_ticks = kernel_charge_ticks,
	.window_open = kernel_window_open,
	.window_close = kernel_window_close,
	.window_visits = kernel_window_visits,
	.disarm = kernel_disarm,
	.samples_when_disarmed = true,
	.want_callers = kernel_want_callers,
	.count_calls = kernel_count_calls,
	.counters = kernel_counters,
	.heartbeat = kernel_heartbeat,
	.drain = kernel_drain,
	.descriptor = kernel_descriptor,
};

int kernel_engine_open(const struct collector_options *options, struct collector **collector,
		       struct error *error)
{
	struct collector *opened = memory_new(1, sizeof(*opened));
	int cpus = libbpf_num_possible_cpus();

	opened->engine.engine = &kernel_table;
	bpf_loader_set_verbose(options->verbose);
	clocks_clear(&opened->clocks);
	opened->facts.cpus = (unsigned)cpus;
	int code = 0;
	if (cpus > KERNEL_CPUS_MOST)
		code = error_set(error, -E2BIG,
				 "this machine has %d cores; %d are the most that "
				 "this version can pause",
				 cpus, KERNEL_CPUS_MOST);
	code = code ? code : load(opened, error);
	if (!code) {
		settings_of(opened)->delay.cap_ns = 2000000;
		settings_of(opened)->delay.is_disarmed = 1;
		kernel_heartbeat(opened);
	}
	code = code ? code : attach_programs(opened, error);
	code = code ? code : attach_leave_syscalls(opened, error);
	code = code ? code : kernel_clock_open(opened, options->period_ns, error);
	code = code ? code : kernel_clock_calibrate(opened, error);
	if (code) {
		kernel_close(opened);
		return code;
	}
	set_waits(opened, options->counts_waits);
	settings_of(opened)->delay.is_disarmed = 0;
	*collector = opened;
	return 0;
}
