// SPDX-License-Identifier: BSD-2-Clause
/*
 * engine_kernel - the kernel engine on a simulated machine: the order of calls of bpf/lever.bpf.c,
 * around the rules of wire/delay*.h. A pause holds its core.
 */
#include "engine_rules.h"

#define SHORTEST_NS 300 /* as bpf/pause.h */

static int64_t core_gap(const struct machine *machine, const struct core *core)
{
	return delay_gap(&core->engine.delay.local, &machine->engine.delay,
			 machine->engine.global_ns);
}

/* Pays at once what this core owes; returns for how long it is held. */
static uint64_t core_pay(struct machine *machine, struct core *core, const char *where)
{
	struct engine *engine = &machine->engine;
	struct delay_core *delay = &core->engine.delay;

	if (!delay_is_due(&delay->local, engine->global_ns, SHORTEST_NS))
		return 0;
	engine_trace(machine, where, core->current, core_gap(machine, core));
	uint64_t pause = delay_consume(&delay->local, &engine->delay, engine->global_ns,
				       machine->now_ns, engine->delay.cap_ns);
	if (!pause)
		return 0;
	engine->capped += pause == engine->delay.cap_ns;
	engine->pauses++;
	pause += engine->settings.overshoot_ns;
	delay_pay(&delay->local, pause);
	delay->paused_ns += pause;
	engine->paused_ns += pause;
	return pause;
}

static bool owes_more(const struct machine *machine, const struct core *core)
{
	return delay_is_due(&core->engine.delay.local, machine->engine.global_ns, SHORTEST_NS);
}

/* The tick of a core that runs a task of the program. */
static void charge(struct machine *machine, struct core *core, uint64_t weight)
{
	struct engine *engine = &machine->engine;
	struct delay_core *delay = &core->engine.delay;
	uint64_t overhead = engine->settings.overhead_ns + engine->settings.handler_ns;
	uint64_t now = machine->now_ns, charge = 0;

	delay->tick_overhead_ns = delay_charge_tick(&delay->local, &engine->delay, overhead, now);
	if (task_computes_in_target(machine, core->current)) {
		engine->hits++;
		engine->hit_ns += weight;
		charge = delay_charge_target(&delay->local, &engine->delay, weight, now);
	}
	uint64_t growth = engine_raise(machine, delay->local.delay_ns);
	if (charge)
		engine_trace(machine, "tick in the target", core->current, 0);
	engine->charged_ns += growth < charge ? growth : charge;
}

uint64_t engine_tick(struct machine *machine, struct core *core)
{
	struct engine *engine = &machine->engine;
	struct delay_core *delay = &core->engine.delay;
	uint64_t overhead = engine->settings.overhead_ns + engine->settings.handler_ns;
	struct task *task = core->current;

	engine_advance(machine);
	if (core->engine.is_finishing)
		return 0;
	struct delay_tick tick = delay_tick(delay, &engine->delay, machine->now_ns);
	if (!task)
		return overhead;
	if (!task_is_member(machine, task)) {
		delay_forgive(&delay->local, &engine->delay, engine->global_ns);
		return overhead;
	}
	delay_renew(&delay->local, &engine->delay, engine->global_ns);
	machine->waits += delay_spin(delay, &task->engine.delay, task->is_spinning,
				     core_gap(machine, core), engine->charged_ns);
	charge(machine, core, tick.weight_ns);
	return overhead + core_pay(machine, core, "pays at a tick");
}

uint64_t engine_pay_before_waking(struct machine *machine, struct core *core)
{
	if (machine->engine.settings.kind != ENGINE_KERNEL ||
	    !task_is_member(machine, core->current))
		return 0;
	engine_advance(machine);
	return core_pay(machine, core, "pays before it wakes another");
}

void engine_waking(struct machine *machine, struct task *waker, struct task *woken)
{
	struct engine *engine = &machine->engine;
	struct engine_task *state = &woken->engine;

	if (engine->settings.kind != ENGINE_KERNEL || !task_is_member(machine, woken))
		return;
	engine_advance(machine);
	if (state->is_waiting_in_target && engine_leave_waiters(machine, state))
		state->delay.credit_ns =
			delay_wait_credit(&engine->delay, machine->now_ns - state->delay.left_ns);
	delay_wake(&state->delay,
		   waker && task_is_member(machine, waker) ? DELAY_WAKER_TASK :
							     DELAY_WAKER_EXTERNAL,
		   0, engine->global_ns, machine->now_ns);
	engine_trace(machine, waker ? "is woken by a task" : "is woken from outside", woken,
		     state->delay.gap_ns);
}

static void leave(struct machine *machine, struct core *core, struct task *task)
{
	bool is_blocked = task->status == TASK_BLOCKED;

	delay_leave(&task->engine.delay, &machine->engine.delay, core_gap(machine, core),
		    is_blocked, machine->engine.global_ns, machine->now_ns);
	engine_trace(machine, is_blocked ? "waits" : "is preempted", task,
		     task->engine.delay.gap_ns);
	if (is_blocked && machine->engine.delay.speedup && task_waits_in_target(machine, task))
		engine_join_waiters(machine, &task->engine);
}

static uint64_t enter(struct machine *machine, struct core *core, struct task *previous,
		      struct task *next)
{
	struct engine *engine = &machine->engine;
	struct engine_core *state = &core->engine;
	const struct delay_entry entry = {
		.now_ns = machine->now_ns,
		.global_ns = engine->global_ns,
		.left_gap_ns = previous ? previous->engine.delay.gap_ns : 0,
		.core_was_idle = !previous,
		.is_member = true,
	};
	int todo = delay_enter(&state->delay.local, &next->engine.delay, &engine->delay, &entry);
	uint64_t hold = 0;

	if (todo & DELAY_RAISES_G)
		engine_raise(machine, state->delay.local.delay_ns);
	engine_trace(machine, "runs", next, core_gap(machine, core));
	if (todo & DELAY_PAYS) {
		hold = core_pay(machine, core, "pays as it was woken from outside");
		next->engine.owes_more = owes_more(machine, core);
	}
	state->owes_more = next->engine.owes_more;
	return hold;
}

uint64_t engine_switch(struct machine *machine, struct core *core, struct task *previous,
		       struct task *next)
{
	struct engine_core *state = &core->engine;

	if (machine->engine.settings.kind != ENGINE_KERNEL)
		return 0;
	engine_advance(machine);
	state->owes_more = state->is_finishing = false;
	if (!previous)
		state->delay.busy_since_ns = machine->now_ns;
	else if (task_is_member(machine, previous))
		leave(machine, core, previous);
	if (!next)
		return 0;
	if (task_is_member(machine, next))
		return enter(machine, core, previous, next);
	delay_forgive(&state->delay.local, &machine->engine.delay, machine->engine.global_ns);
	return 0;
}

uint64_t engine_finish(struct machine *machine, struct core *core)
{
	struct engine_core *state = &core->engine;

	state->is_finishing = false;
	if (!state->owes_more)
		return 0;
	engine_advance(machine);
	uint64_t pause = core_pay(machine, core, "pays the rest");
	state->is_finishing = pause > 0;
	state->owes_more = core->current->engine.owes_more = pause > 0;
	return pause;
}
