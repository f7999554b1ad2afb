/* SPDX-License-Identifier: BSD-2-Clause */
/* collector - passes each call on to the engine that was opened. */
#include "collect/engine.h"

#include "collect/kernel/engine.h"
#include "collect/runtime/engine.h"

#include <errno.h>

static const struct engine *engine_of(const struct collector *collector)
{
	return ((const struct engine_collector *)collector)->engine;
}

int collector_open(const struct collector_options *options, struct collector **collector,
		   struct error *error)
{
	if (options->engine == COLLECTOR_RUNTIME)
		return runtime_engine_open(options, NULL, collector, error);
	int code = kernel_engine_open(options, collector, error);
	if (!code || options->engine == COLLECTOR_KERNEL || !options->runtime_library)
		return code;
	struct error refused = *error;
	return runtime_engine_open(options, &refused, collector, error);
}

const struct collector_facts *collector_facts(const struct collector *collector)
{
	return engine_of(collector)->facts(collector);
}

int collector_add_point_uprobe(struct collector *collector, const char *name, const char *path,
			       uint64_t offset, uint64_t semaphore_offset, unsigned *index,
			       struct error *error)
{
	return engine_of(collector)->add_point_uprobe(collector, name, path, offset,
						      semaphore_offset, index, error);
}

int collector_add_point_tracepoint(struct collector *collector, const char *category,
				   const char *tracepoint, const char *name, unsigned *index,
				   struct error *error)
{
	return engine_of(collector)->add_point_tracepoint(collector, category, tracepoint, name,
							  index, error);
}

int collector_add_point_sampled(struct collector *collector, const char *name, unsigned *index,
				struct error *error)
{
	return engine_of(collector)->add_point_sampled(collector, name, index, error);
}

unsigned collector_point_count(const struct collector *collector)
{
	return engine_of(collector)->point_count(collector);
}

const struct wire_point *collector_point(const struct collector *collector, unsigned index)
{
	return engine_of(collector)->point(collector, index);
}

void collector_each_visiting_process(const struct collector *collector, unsigned index,
				     void (*found)(void *context, pid_t pid, const char *command,
						   uint64_t visits),
				     void *context)
{
	if (engine_of(collector)->each_visiting_process)
		engine_of(collector)->each_visiting_process(collector, index, found, context);
}

int collector_set_pairs(struct collector *collector, unsigned (*pairs)[2], unsigned count)
{
	return engine_of(collector)->set_pairs(collector, pairs, count);
}

double collector_pair_average(const struct collector *collector, unsigned pair)
{
	return engine_of(collector)->pair_average(collector, pair);
}

struct collector_lengths collector_pair_lengths(const struct collector *collector, unsigned pair)
{
	const struct engine *engine = engine_of(collector);
	return engine->pair_lengths ? engine->pair_lengths(collector, pair) :
				      (struct collector_lengths){0};
}

int collector_add_task(struct collector *collector, int pidfd, struct error *error)
{
	return engine_of(collector)->add_task(collector, pidfd, error);
}

int collector_add_process(struct collector *collector, pid_t pid, struct error *error)
{
	const struct engine *engine = engine_of(collector);

	if (engine->add_process)
		return engine->add_process(collector, pid, error);
	return error_set(
		error, -ENOTSUP,
		"the %s engine profiles only what it starts; use --engine kernel as root or "
		"with CAP_BPF and CAP_PERFMON",
		engine->name);
}

int collector_exclude_process(struct collector *collector, pid_t pid, struct error *error)
{
	const struct engine *engine = engine_of(collector);
	return engine->exclude_process ? engine->exclude_process(collector, pid, error) : 0;
}

void collector_follow_all(struct collector *collector)
{
	if (engine_of(collector)->follow_all)
		engine_of(collector)->follow_all(collector);
}

int collector_filter_name(struct collector *collector, const char *name, bool is_wanted)
{
	const struct engine *engine = engine_of(collector);
	return engine->filter_name ? engine->filter_name(collector, name, is_wanted) : 0;
}

void collector_announce_names(struct collector *collector)
{
	if (engine_of(collector)->announce_names)
		engine_of(collector)->announce_names(collector);
}

int collector_enable(struct collector *collector, const struct collector_target_kinds *target_kinds,
		     struct error *error)
{
	return engine_of(collector)->enable(collector, target_kinds, error);
}

void collector_charge_ticks(struct collector *collector, bool are_charged)
{
	if (engine_of(collector)->charge_ticks)
		engine_of(collector)->charge_ticks(collector, are_charged);
}

int collector_start(struct collector *collector, struct error *error)
{
	return engine_of(collector)->start(collector, error);
}

int collector_set_target(struct collector *collector, const struct wire_range *ranges, size_t count,
			 uint32_t classes)
{
	return engine_of(collector)->set_target(collector, ranges, count, classes);
}

int collector_set_scope(struct collector *collector, const struct wire_range *ranges, size_t count)
{
	return engine_of(collector)->set_scope(collector, ranges, count);
}

int collector_set_sampled(struct collector *collector, const struct wire_range *ranges,
			  size_t count)
{
	return engine_of(collector)->set_sampled(collector, ranges, count);
}

int collector_name_object(struct collector *collector, const struct wire_file *file,
			  uint32_t object)
{
	return engine_of(collector)->name_object(collector, file, object);
}

int collector_set_unwind(struct collector *collector, uint32_t object,
			 const struct wire_unwind_row *rows, size_t count)
{
	return engine_of(collector)->set_unwind(collector, object, rows, count);
}

void collector_set_speedup(struct collector *collector, double speedup)
{
	engine_of(collector)->set_speedup(collector, speedup);
}

void collector_speed_up_external(struct collector *collector, double speedup)
{
	engine_of(collector)->speed_up_external(collector, speedup);
}

void collector_clear_debts(struct collector *collector)
{
	engine_of(collector)->clear_debts(collector);
}

void collector_set_period(struct collector *collector, uint64_t period_ns)
{
	engine_of(collector)->set_period(collector, period_ns);
}

void collector_window_open(struct collector *collector)
{
	engine_of(collector)->window_open(collector);
}

void collector_window_close(struct collector *collector)
{
	engine_of(collector)->window_close(collector);
}

struct collector_visits collector_window_visits(const struct collector *collector, unsigned point)
{
	return engine_of(collector)->window_visits(collector, point);
}

void collector_disarm(struct collector *collector)
{
	engine_of(collector)->disarm(collector);
}

bool collector_samples_when_disarmed(const struct collector *collector)
{
	return engine_of(collector)->samples_when_disarmed;
}

void collector_want_callers(struct collector *collector, bool want)
{
	engine_of(collector)->want_callers(collector, want);
}

int collector_count_calls(struct collector *collector, const char *path, uint64_t offset,
			  uint64_t slice_ns, uint64_t *calls, unsigned slices, uint64_t most)
{
	return engine_of(collector)->count_calls(collector, path, offset, slice_ns, calls, slices,
						 most);
}

void collector_counters(struct collector *collector, struct collector_counters *counters)
{
	engine_of(collector)->counters(collector, counters);
}

void collector_heartbeat(struct collector *collector)
{
	engine_of(collector)->heartbeat(collector);
}

int collector_drain(struct collector *collector, const struct collector_handler *handler)
{
	return engine_of(collector)->drain(collector, handler);
}

int collector_descriptor(const struct collector *collector)
{
	return engine_of(collector)->descriptor(collector);
}

void collector_close(struct collector *collector)
{
	if (collector)
		engine_of(collector)->close(collector);
}

const char *collector_engine(const struct collector *collector)
{
	return engine_of(collector)->name;
}

int collector_check_program(const struct collector *collector, const char *path,
			    struct error *error)
{
	const struct engine *engine = engine_of(collector);
	return engine->check_program ? engine->check_program(path, error) : 0;
}

const char *const *collector_environment(const struct collector *collector)
{
	static const char *const none[] = {NULL};
	const struct engine *engine = engine_of(collector);
	return engine->environment ? engine->environment(collector) : none;
}

char *collector_note(const struct collector *collector)
{
	const struct engine *engine = engine_of(collector);
	return engine->note ? engine->note(collector) : NULL;
}

int engine_write_pairs(struct wire_settings *settings, unsigned (*pairs)[2], unsigned count)
{
	if (count > WIRE_PAIRS_MOST)
		return -E2BIG;
	for (unsigned i = 0; i < count; i++) {
		settings->pairs[i].begin = pairs[i][0];
		settings->pairs[i].end = pairs[i][1];
	}
	__atomic_store_n(&settings->pair_count, count, __ATOMIC_RELEASE);
	return 0;
}
