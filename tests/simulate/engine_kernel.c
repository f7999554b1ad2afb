// SPDX-License-Identifier: BSD-2-Clause
/*
 * engine_kernel - the kernel engine on a simulated machine: the order of calls of bpf/lever.bpf.c,
 * around the rules of wire/delay*.h. A pause holds its core.
 */
#include "engine_rules.h"

#define SHORTEST_NS 300 /* as bpf/pause.h */
#define PAY_ON_MOST_NS 500000

static int64_t core_gap(const struct machine *machine, const struct core *core)
{
	return delay_gap(&core->engine.delay.local, &machine->engine.delay,
			 machine->engine.global_ns);
}

/* Pays at once what this core owes; returns for how long it is held. */
static uint64_t core_pay(struct machine *machine, struct core *core, const char *where)
{
	struct engine *engine = &machine->engine;
	struct engine_core *state = &core->engine;
	struct delay_core *delay = &state->delay;

	if (!delay_is_due(&delay->local, engine->global_ns, SHORTEST_NS))
		return 0;
	engine_trace(machine, where, core->current, core_gap(machine, core));
	uint64_t most =
		state->is_finishing ?
			engine->delay.cap_ns :
			delay_budget_left(&state->budget, engine->delay.cap_ns, machine->now_ns);
	uint64_t pause = delay_consume(&delay->local, &engine->delay, engine->global_ns,
				       machine->now_ns, most);
	if (!pause)
		return 0;
	engine->capped += pause == most;
	engine->pauses++;
	pause += engine->settings.overshoot_ns;
	if (!state->is_finishing)
		delay_budget_spend(&state->budget, pause, machine->now_ns + pause);
	delay_pay(&delay->local, pause);
	delay->paused_ns += pause;
	engine->paused_ns += pause;
	if (!state->has_paused) {
		state->pause_begin_ns = machine->now_ns;
		state->pause_begin_delay_ns = engine->global_ns;
	}
	state->has_paused = true;
	state->pause_end_ns = machine->now_ns + pause;
	return pause;
}

static bool owes_more(const struct machine *machine, const struct core *core)
{
	return delay_is_due(&core->engine.delay.local, machine->engine.global_ns, SHORTEST_NS);
}

/* Returns by how much G has grown. */
static uint64_t raise_by_charge(struct machine *machine, struct core *core, uint64_t charge)
{
	struct engine *engine = &machine->engine;
	uint64_t now = machine->now_ns, slot = engine->charge_slot_ns;
	int64_t ahead = core->engine.delay.local.delay_ns - engine->global_ns;
	int64_t most = delay_charge_most(&engine->delay, slot, 1, now);
	int64_t growth = ahead < most ? ahead : most;

	if (growth <= 0)
		return 0;
	engine->charge_slot_ns = delay_charge_slot(&engine->delay, slot, 1, growth, now);
	return engine_raise(machine, engine->global_ns + growth, charge);
}

/* The tick of a core that runs a task of the program. */
static void charge(struct machine *machine, struct core *core, uint64_t weight)
{
	struct engine *engine = &machine->engine;
	struct delay_core *delay = &core->engine.delay;
	uint64_t overhead = engine->settings.overhead_ns + engine->settings.handler_ns;
	uint64_t now = machine->now_ns, charge = 0;

	delay->tick_overhead_ns = delay_charge_tick(&delay->local, &engine->delay, overhead, now);
	engine->sampled_ns += weight;
	if (task_computes_in_target(machine, core->current)) {
		engine->hits++;
		engine->hit_ns += weight;
		charge = delay_charge_target(&delay->local, &engine->delay, 1, weight, now);
	}
	delay->charge_ns = charge;
	engine_count_tick(machine, delay->tick_overhead_ns);
	uint64_t growth = charge ? raise_by_charge(machine, core, charge) : 0;
	if (charge)
		engine_trace(machine, "tick in the target", core->current, 0);
	engine->charged_ns += growth < charge ? growth : charge;
}

uint64_t engine_pay_on(struct machine *machine, struct core *core)
{
	struct engine_core *state = &core->engine;
	bool may = state->has_paused && core->masked_ns == machine->now_ns &&
		   machine->now_ns - state->pause_begin_ns < PAY_ON_MOST_NS;

	uint64_t pause = may ? core_pay(machine, core, "pays on, as G has grown") : 0;
	if (!pause)
		state->has_paused = false;
	return pause;
}

/* Returns whether the task spins, and so does not pay. */
static bool check_spin(struct machine *machine, struct core *core, struct task *task,
		       uint64_t weight)
{
	struct delay_spin_tick tick = {.is_spinning = task->is_spinning,
				       .gap_ns = core_gap(machine, core),
				       .weight_ns = (int64_t)weight};

	machine->hand_overs += delay_spin(&core->engine.delay, &task->engine.delay, &tick,
					  machine->engine.charged_ns);
	return task->is_spinning;
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
	bool rests = check_spin(machine, core, task, tick.weight_ns);
	charge(machine, core, tick.weight_ns);
	delay_turn_tick(&core->engine.turn, delay, machine->now_ns);
	core->engine.has_paused = false;
	if (!rests && owes_more(machine, core))
		engine_count_lag(machine, core_gap(machine, core), core->entered_ns);
	uint64_t pause = rests ? 0 : core_pay(machine, core, "pays at a tick");
	return overhead + pause + engine->settings.uncharged_ns;
}

uint64_t engine_pay_before_waking(struct machine *machine, struct core *core)
{
	if (machine->engine.settings.kind != ENGINE_KERNEL ||
	    !task_is_member(machine, core->current))
		return 0;
	engine_advance(machine);
	core->engine.has_paused = false;
	delay_turn_act(&core->engine.turn, &core->engine.delay);
	return core_pay(machine, core, "pays before it wakes another");
}

/* Time and G when a task was woken; variant wakes_before: if a pause has held the interrupt up. */
static void wake_moment(const struct machine *machine, const struct core *core,
			const struct delay_task *task, uint64_t *time, uint64_t *delay)
{
	const struct engine_core *state = &core->engine;
	uint64_t held_until = state->pause_end_ns + machine->engine.settings.overhead_ns +
			      machine->engine.settings.handler_ns;

	*time = machine->now_ns;
	*delay = machine->engine.global_ns;
	if (!machine->engine.settings.variants.wakes_before || held_until < machine->now_ns)
		return;
	*time = delay_later(state->pause_begin_ns, task->left_ns);
	*delay = delay_later(state->pause_begin_delay_ns, task->delay_at_leave_ns);
}

static bool waits_for_lock(const struct machine *machine, const struct task *task)
{
	uint8_t kind = task_operation(machine, task)->kind;

	return kind == OPERATION_LOCK || kind == OPERATION_READ_LOCK ||
	       kind == OPERATION_WRITE_LOCK;
}

void engine_waking(struct machine *machine, struct core *core, struct task *waker,
		   struct task *woken)
{
	struct engine *engine = &machine->engine;
	struct engine_task *state = &woken->engine;
	bool is_external = !waker || !task_is_member(machine, waker);
	const struct delay_holder holder = delay_holder_of(&core->engine.delay);
	uint64_t time, delay;

	if (!task_is_member(machine, woken))
		return;
	engine_advance(machine);
	state->woken_ns = machine->now_ns;
	state->woken_delay_ns = engine->global_ns;
	if (engine->settings.kind != ENGINE_KERNEL)
		return;
	engine_count_wait(machine, state);
	if (state->is_waiting_in_target && engine_leave_waiters(machine, state))
		state->delay.credit_ns = delay_wait_credit(&engine->delay, 0,
							   machine->now_ns - state->delay.left_ns);
	wake_moment(machine, core, &state->delay, &time, &delay);
	if (!is_external) {
		time = machine->now_ns;
		delay = engine->global_ns;
	}
	delay_wake(&state->delay,
		   !is_external              ? DELAY_WAKER_TASK :
		   task_naps(machine, woken) ? DELAY_WAKER_TIMER :
					       DELAY_WAKER_EXTERNAL,
		   is_external ? 0 : core_gap(machine, core), delay, time);
	if (!is_external && waits_for_lock(machine, woken) &&
	    !engine->settings.variants.charges_no_way)
		delay_hand_over(&state->delay, &engine->delay, &holder);
	engine_trace(machine, is_external ? "is woken from outside" : "is woken by a task", woken,
		     state->delay.gap_ns);
}

static void leave(struct machine *machine, struct core *core, struct task *task)
{
	bool is_blocked = task->status == TASK_BLOCKED;

	uint32_t nap_ns = delay_turn_end(&core->engine.turn, &core->engine.delay,
					 &task->engine.delay, is_blocked, machine->now_ns);
	machine->short_naps += nap_ns > 0;
	machine->short_naps_ns += nap_ns;
	delay_leave(&task->engine.delay, &machine->engine.delay, core_gap(machine, core),
		    is_blocked, machine->engine.global_ns, machine->now_ns);
	engine_trace(machine, is_blocked ? "waits" : "is preempted", task,
		     task->engine.delay.gap_ns);
	task->engine.waits_outside = is_blocked && task_waits_outside(machine, task);
	task->engine.waits_in_target =
		task->engine.waits_outside && task_operation(machine, task)->is_target;
	if (task->engine.waits_in_target && machine->engine.delay.speedup)
		engine_join_waiters(machine, &task->engine);
}

/* A task waits for a core, and no timer has woken it. */
static bool core_is_wanted(const struct machine *machine)
{
	for (uint32_t i = 0; i < machine->settings.cores; i++) {
		for (const struct task *task = machine->cores[i].queue; task; task = task->next) {
			const struct delay_task *delay = &task->engine.delay;
			bool by_timer = delay->is_blocked && delay->is_woken &&
					delay->waker == DELAY_WAKER_TIMER;
			if (task_is_member(machine, task) && !by_timer)
				return true;
		}
	}
	return false;
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
		.core_is_wanted = core_is_wanted(machine),
	};
	int todo = delay_enter(&state->delay.local, &next->engine.delay, &engine->delay, &entry);
	uint64_t hold = 0;

	delay_turn_begin(&state->turn, &state->delay, &next->engine.delay, todo & DELAY_BY_TIMER,
			 &entry);
	if (todo & DELAY_RAISES_G)
		engine_raise(machine, state->delay.local.delay_ns, DELAY_HEARTBEAT_LIMIT_NS);
	engine_trace(machine, "runs", next, core_gap(machine, core));
	state->has_paused = false;
	if (todo & DELAY_PAYS) {
		hold = core_pay(machine, core, "pays as it was woken from outside");
		next->engine.owes_more = hold > 0; /* G may grow meanwhile */
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

	state->is_finishing = state->owes_more;
	if (!state->owes_more)
		return 0;
	engine_advance(machine);
	uint64_t pause = core_pay(machine, core, "pays the rest");
	state->is_finishing = pause > 0;
	state->owes_more = core->current->engine.owes_more = pause > 0;
	return pause;
}

/* ---- several hosts ---- */

uint64_t engine_stamp(const struct machine *machine, const struct core *core)
{
	int64_t gap = core_gap(machine, core);

	return machine->engine.global_ns - (uint64_t)(gap > 0 ? gap : 0);
}

void engine_merge(struct machine *machine, uint64_t delay_ns)
{
	engine_advance(machine);
	machine->engine.global_ns = delay_later(delay_ns, machine->engine.global_ns);
}

void engine_receive(struct machine *machine, struct core *core, struct task *woken,
		    const struct engine_message *message)
{
	struct engine *engine = &machine->engine;

	if (engine->settings.kind != ENGINE_KERNEL)
		return;
	if (engine->settings.arrival == ARRIVAL_STAMP)
		engine_merge(machine, message->stamp_ns);
	if (!woken)
		return;
	engine_waking(machine, core, NULL, woken);
	struct delay_task *task = &woken->engine.delay;
	if (engine->settings.arrival == ARRIVAL_EXTERNAL)
		return;
	task->waker = DELAY_WAKER_TASK;
	uint64_t stamp = delay_later(message->stamp_ns, engine->delay.generation_delay_ns);
	if (engine->settings.arrival == ARRIVAL_STAMP)
		delay_wake(task, DELAY_WAKER_HOST, (int64_t)(engine->global_ns - stamp),
			   engine->global_ns, machine->now_ns);
	woken->engine.is_owed_credit = engine->settings.arrival == ARRIVAL_TOLD;
	woken->engine.message = *message;
	woken->engine.wake_delay_ns = engine->global_ns;
}

/* The task has as much less to pay as its waker had paid, and its host did not know. */
static void credit(struct machine *machine, struct task *task, uint64_t credit)
{
	struct core *core = &machine->cores[task->core];

	if (task->status == TASK_RUNNING) {
		core->engine.delay.local.delay_ns += credit;
		engine_raise(machine, core->engine.delay.local.delay_ns, credit);
	} else {
		task->engine.delay.gap_ns -= (int64_t)credit;
	}
}

void engine_hear(struct machine *machine, uint32_t from, const struct engine_heard *heard)
{
	for (uint32_t i = 0; i < machine->task_count; i++) {
		struct engine_task *task = &machine->tasks[i].engine;
		if (!task->is_owed_credit || task->message.from != from ||
		    (int64_t)(heard->time_ns - task->message.sent_ns) < 0)
			continue;
		task->is_owed_credit = false;
		if (task->delay.generation != machine->engine.delay.generation)
			continue;
		int64_t unknown = (int64_t)(heard->delay_ns - task->wake_delay_ns);
		if (unknown > 0)
			credit(machine, &machine->tasks[i], (uint64_t)unknown);
	}
	engine_merge(machine, heard->delay_ns);
}
