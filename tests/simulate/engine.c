// SPDX-License-Identifier: BSD-2-Clause
/* engine - what both engines have in common, and the way to each of them. */
#include "engine_rules.h"

#include <stdio.h>

void engine_note_growth(struct machine *machine)
{
	struct engine_lag *lag = &machine->engine.lag;

	lag->growths[lag->growth_count++ % ENGINE_GROWTHS] = (struct engine_growth){
		.time_ns = machine->now_ns,
		.delay_ns = machine->engine.global_ns,
	};
}

void engine_count_lag(struct machine *machine, int64_t gap_ns, uint64_t since_ns)
{
	struct engine_lag *lag = &machine->engine.lag;
	uint64_t paid = machine->engine.global_ns - (uint64_t)gap_ns, last = lag->growth_count;
	uint64_t first = last > ENGINE_GROWTHS ? last - ENGINE_GROWTHS : 0;

	if (first == last)
		return;
	/* The first growth beyond what is paid. */
	while (first + 1 < last) {
		uint64_t middle = (first + last - 1) / 2;
		if (lag->growths[middle % ENGINE_GROWTHS].delay_ns > paid)
			last = middle + 1;
		else
			first = middle + 1;
	}
	uint64_t from = delay_later(lag->growths[first % ENGINE_GROWTHS].time_ns, since_ns);
	lag->payments++;
	lag->sum_ns += machine->now_ns - from;
	lag->most_ns = delay_later(lag->most_ns, machine->now_ns - from);
}

void engine_advance(struct machine *machine)
{
	struct engine *engine = &machine->engine;
	uint64_t updated = engine->waiters_updated_ns;

	if (!delay_growth_is_due(&engine->delay, engine->waiters, updated, machine->now_ns))
		return;
	engine->waiters_updated_ns = machine->now_ns;
	engine->global_ns +=
		delay_growth(&engine->delay, engine->waiters, updated, machine->now_ns);
	engine_note_growth(machine);
}

uint64_t engine_raise(struct machine *machine, uint64_t local_ns, uint64_t charge)
{
	struct engine *engine = &machine->engine;
	uint64_t before = engine->global_ns;

	if (engine->settings.variants.adds_charges)
		engine->global_ns = delay_later(local_ns, before + charge);
	else if (engine->settings.kind == ENGINE_RUNTIME ||
		 engine->settings.variants.raises_by_charge)
		engine->global_ns = delay_raised(before, local_ns, charge);
	else
		engine->global_ns = delay_later(local_ns, before);
	if (engine->global_ns != before)
		engine_note_growth(machine);
	return engine->global_ns - before;
}

void engine_count_tick(struct machine *machine, uint64_t overhead)
{
	struct engine *engine = &machine->engine;
	uint64_t slot =
		delay_tick_slot(engine->tick_slot_ns, engine->delay.period_ns, machine->now_ns);

	if (!overhead || slot == engine->tick_slot_ns)
		return;
	engine->tick_slot_ns = slot;
	engine->global_ns += overhead;
	engine_note_growth(machine);
}

void engine_join_waiters(struct machine *machine, struct engine_task *task)
{
	struct engine *engine = &machine->engine;

	engine_advance(machine);
	if (!delay_has_waiters(engine->waiters, engine->delay.generation))
		engine->waiters_updated_ns = machine->now_ns;
	engine->waiters = delay_waiters_joined(engine->waiters, 0, engine->delay.generation);
	task->joined_generation = engine->delay.generation;
	task->is_waiting_in_target = true;
}

bool engine_leave_waiters(struct machine *machine, struct engine_task *task)
{
	struct engine *engine = &machine->engine;

	engine_advance(machine);
	task->is_waiting_in_target = false;
	if (!delay_waiters_has(engine->waiters, task->joined_generation, engine->delay.generation))
		return false;
	engine->waiters--;
	return true;
}

void engine_count_wait(struct machine *machine, struct engine_task *task)
{
	struct engine *engine = &machine->engine;
	uint64_t left_ns = task->delay.left_ns, now = machine->now_ns;

	if (task->waits_outside)
		engine->sampled_ns += now - left_ns;
	if (task->waits_in_target)
		engine->hit_ns += delay_in_generation(&engine->delay, left_ns, now);
	task->waits_outside = task->waits_in_target = false;
}

bool task_computes_in_target(const struct machine *machine, const struct task *task)
{
	const struct operation *operation = task_operation(machine, task);

	return operation->kind == OPERATION_COMPUTE && operation->is_target && task->stage;
}

bool task_naps(const struct machine *machine, const struct task *task)
{
	const struct operation *operation = task_operation(machine, task);

	return operation->kind == OPERATION_SLEEP || operation->kind == OPERATION_RETRY_LOCK;
}

bool task_waits_outside(const struct machine *machine, const struct task *task)
{
	const struct operation *operation = task_operation(machine, task);

	if (operation->kind == OPERATION_FLUSH)
		return task->stage == FLUSH_WAITS && !task->is_pausing;
	return task->stage && !task->is_pausing &&
	       (operation->kind == OPERATION_IO || task_naps(machine, task));
}

void engine_trace(const struct machine *machine, const char *what, const struct task *task,
		  int64_t gap)
{
	const struct engine *engine = &machine->engine;

	if (!engine->settings.is_traced)
		return;
	printf("%10.1f  G %10.1f  ", (double)(machine->now_ns - engine->delay.generation_ns) / 1e3,
	       (double)(engine->global_ns - engine->delay.generation_delay_ns) / 1e3);
	if (task)
		printf("core %u  task %-3u operation %-2u ", task->core, task->id, task->operation);
	else
		printf("%*s", 30, "");
	printf("gap %8.1f  %s\n", (double)gap / 1e3, what);
}

void engine_start(struct machine *machine, const struct engine_settings *settings)
{
	struct engine *engine = &machine->engine;

	*engine = (struct engine){.settings = *settings};
	engine->global_ns = 1;
	engine->delay = (struct delay_settings){
		.heartbeat_ns = machine->now_ns + (1ull << 62),
		.period_ns = settings->period_ns,
		.cap_ns = settings->cap_ns,
		.tick_overhead_ns = settings->overhead_ns,
	};
	engine_set_speedup(machine, 0);
	for (uint32_t i = 0; i < machine->task_count; i++)
		delay_forgive(&machine->tasks[i].engine.local, &engine->delay, engine->global_ns);
	if (settings->kind != ENGINE_KERNEL)
		return;
	for (uint32_t i = 0; i < machine->settings.cores; i++) {
		struct engine_core *core = &machine->cores[i].engine;
		delay_forgive(&core->delay.local, &engine->delay, engine->global_ns);
		core->delay.tick_ns = machine->now_ns;
		core->tick_grid_ns =
			machine->now_ns + random_below(&machine->random, settings->period_ns);
		events_post(&machine->events, SOURCE_TICK + i, core->tick_grid_ns);
	}
}

void engine_set_speedup(struct machine *machine, double speedup)
{
	struct engine *engine = &machine->engine;

	engine_advance(machine);
	engine->delay.generation++;
	engine->delay.generation_ns = machine->now_ns;
	engine->delay.generation_delay_ns = engine->global_ns;
	engine->delay.speedup = engine->delay.speedups[0] = (uint32_t)(speedup * DELAY_SPEEDUP_ONE);
}

void engine_set_period(struct machine *machine, uint32_t period_ns)
{
	machine->engine.delay.period_ns = period_ns;
}

struct sampling_rate_window engine_take_load(struct machine *machine, double speedup)
{
	struct engine *engine = &machine->engine;
	struct sampling_rate_window load = {.speedup = speedup,
					    .busy_ns = machine->busy_ns,
					    .target_ns = engine->hits * engine->delay.period_ns,
					    .hand_overs = machine->hand_overs,
					    .short_naps = machine->short_naps,
					    .short_naps_ns = machine->short_naps_ns};

	machine->busy_ns = machine->hand_overs = engine->hits = 0;
	machine->short_naps = machine->short_naps_ns = 0;
	return load;
}

uint64_t engine_delay(struct machine *machine)
{
	engine_advance(machine);
	return machine->engine.global_ns;
}

uint32_t engine_period(const struct machine *machine, uint32_t core)
{
	return (uint32_t)machine->engine.delay.period_ns + 1009 * (core % 16);
}

bool engine_ticks_in(const struct machine *machine, const struct task *task)
{
	return task_is_member(machine, task);
}

uint64_t engine_thread_tick(struct machine *machine, struct task *task)
{
	return runtime_engine_tick(machine, task);
}

bool engine_before_step(struct machine *machine, struct task *task)
{
	return machine->engine.settings.kind == ENGINE_RUNTIME && task_is_member(machine, task) &&
	       runtime_engine_before_step(machine, task);
}

void engine_after_step(struct machine *machine, struct task *task)
{
	if (machine->engine.settings.kind == ENGINE_RUNTIME && task_is_member(machine, task))
		runtime_engine_after_step(machine, task);
}
