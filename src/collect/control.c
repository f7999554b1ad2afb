/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * control - the part of collector.h that is the same for both engines: settings, code ranges,
 * points and windows, in the memory that the engine's other side maps.
 */
#include "collect/engine.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "collect/collector_hosts.h"
#include "wire/hosts.h"
#include "wire/wait_class.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* A heartbeat that comes so much before the limit may have come too late: pausing may have stopped.
 */
#define HEARTBEAT_MARGIN_NS 100000000

const struct collector_facts *collector_facts(const struct collector *collector)
{
	return &collector->facts;
}

void collector_heartbeat(struct collector *collector)
{
	uint64_t early = collector->heartbeat_early_ns, now = clock_now_ns() - early;
	uint64_t last = collector->settings->delay.heartbeat_ns;
	uint64_t limit = DELAY_HEARTBEAT_LIMIT_NS - early;
	uint64_t margin = limit / 4 < HEARTBEAT_MARGIN_NS ? limit / 4 : HEARTBEAT_MARGIN_NS;

	if (last && now - last > limit - margin)
		collector->missed_heartbeats++;
	__atomic_store_n(&collector->settings->delay.heartbeat_ns, now, __ATOMIC_RELEASE);
}

/* The other hosts are told. */
static void publish(struct collector *collector)
{
	if (collector->engine->publish)
		collector->engine->publish(collector);
}

static void raise(uint64_t *delay, uint64_t value)
{
	uint64_t old = __atomic_load_n(delay, __ATOMIC_ACQUIRE);

	while (delay_later(value, old) != old &&
	       !__atomic_compare_exchange_n(delay, &old, value, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE))
		continue;
}

void engine_merge_delay(struct collector *collector, uint64_t delay_ns)
{
	if (collector->told_delay_ns)
		raise(collector->told_delay_ns, delay_ns);
}

uint64_t engine_delay(const struct collector *collector)
{
	uint64_t own = __atomic_load_n(collector->delay_ns, __ATOMIC_ACQUIRE);

	if (!collector->told_delay_ns)
		return own;
	return delay_later(__atomic_load_n(collector->told_delay_ns, __ATOMIC_ACQUIRE), own);
}

void engine_host_messages(const struct collector *collector, uint64_t *sent, uint64_t *received,
			  uint64_t *refused)
{
	*sent = *received = *refused = 0;
	if (collector->engine->host_messages)
		collector->engine->host_messages(collector, sent, received, refused);
}

/* ---- code ---- */

static void fill_bank(struct collector *collector, unsigned bank, const struct wire_range *ranges,
		      size_t count)
{
	if (count)
		memcpy(collector->ranges[bank], ranges, count * sizeof(*ranges));
	__atomic_store_n(&collector->settings->counts[bank], (uint32_t)count, __ATOMIC_RELEASE);
}

/* Fills the bank that is not in use, then switches; ticks in between still use the old one. */
static int replace_bank(struct collector *collector, unsigned first, uint32_t *selected,
			const struct wire_range *ranges, size_t count)
{
	unsigned unused = !*selected;

	if (count > WIRE_RANGES_MOST)
		return -E2BIG;
	fill_bank(collector, first + unused, ranges, count);
	__atomic_store_n(selected, unused, __ATOMIC_RELEASE);
	publish(collector);
	return 0;
}

static uint32_t scaled_speedup(double speedup)
{
	return (uint32_t)(speedup * DELAY_SPEEDUP_ONE + 0.5);
}

/* One of the two is above 0 at most. */
static void write_speedups(struct collector *collector, double of_target, double of_external)
{
	struct delay_settings *delay = &collector->settings->delay;

	collector_heartbeat(collector);
	for (int i = 0; i < DELAY_LEVELS; i++) {
		const struct collector_level *level = &collector->levels[i];
		double speedup = fmax(of_target * level->experiment, level->standing);
		__atomic_store_n(&delay->speedups[i], scaled_speedup(speedup), __ATOMIC_RELEASE);
	}
	__atomic_store_n(&delay->speedup, scaled_speedup(of_target), __ATOMIC_RELEASE);
	__atomic_store_n(&delay->external_speedup, scaled_speedup(of_external), __ATOMIC_RELEASE);
}

int collector_host_index(const struct collector *collector, const char *name)
{
	for (size_t i = 0; i < collector->host_count; i++) {
		AUTO(text) char *number = text_format("%zu", i);
		if (!strcmp(collector->host_names[i], name) || !strcmp(number, name))
			return (int)i;
	}
	return -1;
}

static bool is_of_processes(const struct wire_range *range)
{
	return range->object == WIRE_OBJECT_PROCESSES ||
	       (range->object >= COLLECTOR_PROCESSES_OF(0) &&
		range->object <= COLLECTOR_PROCESSES_OF(HOSTS_MOST));
}

int collector_set_target(struct collector *collector, const struct collector_target *target)
{
	struct wire_settings *settings = collector->settings;
	uint32_t inclusive = 0, of_target = 0, has_processes = 0;

	if (target->count > WIRE_RANGES_MOST)
		return -E2BIG;
	for (size_t i = 0; i < target->count; i++) {
		inclusive |= WIRE_TARGET_INCLUSIVE_LEVELS(target->ranges[i].value);
		has_processes |= is_of_processes(&target->ranges[i]);
	}
	for (uint32_t i = 0; i < DELAY_LEVELS; i++)
		of_target |= (uint32_t)(target->levels[i].experiment > 0) << i;
	memcpy(collector->levels, target->levels, sizeof(collector->levels));
	write_speedups(collector, 0, 0);
	settings->classes = target->classes;
	settings->class_levels = target->class_levels;
	settings->delay.grows_by_waits = target->classes & WAIT_CLASS_BIT(WAIT_CLASS_LOCK) ? 1 : 0;
	settings->code_levels = ~target->waits_only;
	settings->target_levels = of_target;
	settings->inclusive_levels = inclusive;
	settings->has_processes = has_processes;
	return replace_bank(collector, WIRE_BANK_TARGET, &settings->target_bank, target->ranges,
			    target->count);
}

int collector_move_target(struct collector *collector, const struct wire_range *ranges,
			  size_t count)
{
	return replace_bank(collector, WIRE_BANK_TARGET, &collector->settings->target_bank, ranges,
			    count);
}

int collector_set_scope(struct collector *collector, const struct wire_range *ranges, size_t count)
{
	return replace_bank(collector, WIRE_BANK_SCOPE, &collector->settings->scope_bank, ranges,
			    count);
}

int collector_set_spins(struct collector *collector, const struct wire_range *ranges, size_t count)
{
	return replace_bank(collector, WIRE_BANK_SPIN, &collector->settings->spin_bank, ranges,
			    count);
}

int collector_set_sampled(struct collector *collector, const struct wire_range *ranges,
			  size_t count)
{
	if (count > WIRE_RANGES_MOST)
		return -E2BIG;
	collector->settings->counts[WIRE_BANK_SAMPLED] = 0;
	fill_bank(collector, WIRE_BANK_SAMPLED, ranges, count);
	publish(collector);
	return 0;
}

int collector_set_unwind(struct collector *collector, uint32_t object,
			 const struct wire_unwind_row *rows, size_t count)
{
	if (collector->engine->send_unwind)
		collector->engine->send_unwind(collector, object, rows, count);
	return unwind_table_add(&collector->unwind, object, rows, count);
}

int collector_set_python(struct collector *collector, uint32_t object,
			 const struct wire_python *python)
{
	return python_table_add(&collector->pythons, object, python);
}

int collector_enable(struct collector *collector, const struct collector_target_kinds *target_kinds,
		     struct error *error)
{
	const struct engine *engine = collector->engine;
	struct wire_settings *settings = collector->settings;
	int code = engine->check_target_kinds ? engine->check_target_kinds(target_kinds, error) : 0;

	if (code)
		return code;
	settings->enable_kernel = target_kinds->kernel;
	settings->enable_system_calls = target_kinds->calls;
	settings->enable_spans = target_kinds->spans;
	settings->classes_of_code = target_kinds->classes_of_code;
	settings->enable_classes = target_kinds->classes;
	publish(collector);
	return 0;
}

void collector_want_callers(struct collector *collector, unsigned one_of)
{
	__atomic_store_n(&collector->settings->enable_callers, one_of, __ATOMIC_RELEASE);
}

/* ---- delays ---- */

void collector_set_speedup(struct collector *collector, double speedup)
{
	write_speedups(collector, speedup, 0);
	publish(collector);
}

void collector_speed_up_external(struct collector *collector, double speedup)
{
	write_speedups(collector, 0, speedup);
	publish(collector);
}

void collector_clear_debts(struct collector *collector)
{
	struct wire_settings *settings = collector->settings;

	/* At once, as all of it is forgiven. */
	settings->delay.generation_delay_ns = engine_delay(collector);
	raise((uint64_t *)(uintptr_t)collector->delay_ns, settings->delay.generation_delay_ns);
	settings->delay.generation_ns = clock_now_ns();
	__atomic_add_fetch(&settings->delay.generation, 1, __ATOMIC_RELEASE);
	publish(collector);
}

void collector_charge_ticks(struct collector *collector, bool are_charged)
{
	__atomic_store_n(&collector->settings->delay.tick_overhead_ns,
			 are_charged ? collector->tick_overhead_ns : 0, __ATOMIC_RELEASE);
	publish(collector);
}

void collector_disarm(struct collector *collector)
{
	collector_set_speedup(collector, 0);
	__atomic_store_n(&collector->settings->delay.is_disarmed, 1, __ATOMIC_RELEASE);
	publish(collector);
}

/* ---- points ---- */

/* The kind is written last: until then the name may be half there. */
static uint32_t kind_of(const struct wire_point *point)
{
	return __atomic_load_n(&point->kind, __ATOMIC_ACQUIRE);
}

int engine_take_point(struct collector *collector, const char *name, uint32_t kind, unsigned *index,
		      struct error *error)
{
	for (unsigned i = 0; i < WIRE_POINTS_MOST; i++) {
		struct wire_point *point = &collector->points[i];
		__u64 free_entry = 0, hash = 2 * (uint64_t)(collector->points_made + 1);
		*index = i;
		if (kind_of(point) == kind && !strncmp(point->name, name, sizeof(point->name) - 1))
			return 0;
		if (!__atomic_compare_exchange_n(&point->hash, &free_entry, hash, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			continue;
		collector->points_made++;
		strncpy(point->name, name, sizeof(point->name) - 1);
		__atomic_store_n(&point->kind, kind, __ATOMIC_RELEASE);
		return 0;
	}
	return error_set(
		error, -E2BIG,
		"more than %d progress points; give fewer on the command line, or use fewer "
		"names in the program",
		WIRE_POINTS_MOST);
}

int collector_add_point_sampled(struct collector *collector, const char *name, unsigned *index,
				struct error *error)
{
	return engine_take_point(collector, name, WIRE_POINT_SAMPLED, index, error);
}

unsigned collector_point_count(const struct collector *collector)
{
	unsigned count = 0;

	while (count < WIRE_POINTS_MOST && collector->points[count].hash &&
	       kind_of(&collector->points[count]))
		count++;
	return count;
}

const struct wire_point *collector_point(const struct collector *collector, unsigned index)
{
	struct wire_point *point = &collector->points[index];

	point->name[sizeof(point->name) - 1] = 0; /* the program can write there, too */
	return point;
}

int collector_set_pairs(struct collector *collector, unsigned (*pairs)[2], unsigned count)
{
	struct wire_settings *settings = collector->settings;

	if (count > WIRE_PAIRS_MOST)
		return -E2BIG;
	for (unsigned i = 0; i < count; i++) {
		settings->pairs[i].begin = pairs[i][0];
		settings->pairs[i].end = pairs[i][1];
	}
	__atomic_store_n(&settings->pair_count, count, __ATOMIC_RELEASE);
	return 0;
}

/* ---- windows ---- */

void collector_window_open(struct collector *collector)
{
	const struct engine *engine = collector->engine;

	collector_heartbeat(collector);
	if (engine->lengths_begin)
		engine->lengths_begin(collector);
	collector->window_opened_ns = clock_now_ns();
	engine->sum_pairs(collector, collector->pair_start_ns, &collector->weight_start_ns);
	collector->windows++;
	__atomic_store_n(&collector->settings->window, collector->windows, __ATOMIC_RELEASE);
	publish(collector);
}

/* Sums wrap, and the program may write anything into its own: only differences count. */
void collector_window_close(struct collector *collector)
{
	const struct engine *engine = collector->engine;
	uint64_t sums[WIRE_PAIRS_MOST], weight_ns;

	__atomic_store_n(&collector->settings->window, 0, __ATOMIC_RELEASE);
	publish(collector);
	collector->window_lasted_ns = clock_now_ns() - collector->window_opened_ns;
	if (engine->lengths_end)
		engine->lengths_end(collector);
	engine->sum_pairs(collector, sums, &weight_ns);
	int64_t weight = (int64_t)(weight_ns - collector->weight_start_ns);
	for (int pair = 0; pair < WIRE_PAIRS_MOST; pair++) {
		int64_t grown = (int64_t)(sums[pair] - collector->pair_start_ns[pair]);
		collector->pair_averages[pair] = weight > 0 ? (double)grown / (double)weight : 0;
	}
}

double collector_pair_average(const struct collector *collector, unsigned pair)
{
	return pair < WIRE_PAIRS_MOST ? collector->pair_averages[pair] : 0;
}

void collector_counters(struct collector *collector, struct collector_counters *counters)
{
	memset(counters, 0, sizeof(*counters));
	collector_heartbeat(collector);
	counters->time_ns = clock_now_ns();
	counters->delay_ns = __atomic_load_n(collector->delay_ns, __ATOMIC_ACQUIRE);
	counters->missed_heartbeats = collector->missed_heartbeats;
	collector->engine->counters(collector, counters);
}
