// SPDX-License-Identifier: BSD-2-Clause
/*
 * engine_runtime - the runtime engine on a simulated machine: the order of calls of
 * runtime/{pause,wait,sample}.c, around the rules of wire/delay*.h. A thread pays for itself, by
 * sleeping, or by spinning where that is shorter or threads outnumber cores.
 */
#include "engine_rules.h"

/* As in runtime/pause.c. */
#define SHORTEST_NS 1000
#define SLEEP_LEAST_NS 70000
#define SLICE_NS 5000000
#define HOLD_STEP_NS 50000
#define WAKING_MOST_NS 60000 /* of an idle core; a thread that runs later has waited for a core */
#define DISPLACED_LEAST_NS 100000
#define MOST_NS 200000000
#define MOST_IN_HANDLER_NS 20000000

static int64_t gap_now(struct machine *machine, const struct task *task)
{
	return (int64_t)(engine_delay(machine) - task->engine.local.delay_ns);
}

static void renew(struct machine *machine, struct task *task)
{
	delay_renew(&task->engine.local, &machine->engine.delay);
}

/* Whether the program's threads that do not wait outnumber cores. */
static bool is_crowded(const struct machine *machine)
{
	uint32_t running = 0;

	for (uint32_t i = 0; i < machine->task_count; i++) {
		const struct task *task = &machine->tasks[i];
		running += task_is_member(machine, task) && !task->engine.sleeps_on &&
			   (task->status != TASK_BLOCKED || task->is_pausing);
	}
	return running > machine->settings.cores;
}

static void settle(struct machine *machine, struct task *task)
{
	struct engine_task *state = &task->engine;

	state->settled_ns = machine->now_ns;
	state->settled_cpu_ns = task->cpu_ns;
	state->settled_delay_ns = engine_delay(machine);
	state->was_crowded = is_crowded(machine);
}

/* Time in which another task had the core is known by the thread's clocks only. */
static void poll_displaced(struct machine *machine, struct task *task)
{
	struct engine_task *state = &task->engine;
	uint64_t wall = machine->now_ns - state->settled_ns;
	uint64_t ran = task->cpu_ns - state->settled_cpu_ns;
	uint64_t before = state->settled_delay_ns;

	if (state->local.generation != machine->engine.delay.generation)
		before = machine->engine.global_ns;
	renew(machine, task);
	if (state->settled_ns && wall > ran + DISPLACED_LEAST_NS &&
	    (state->was_crowded || is_crowded(machine)))
		delay_thread_displaced(&state->local, (int64_t)(engine_delay(machine) - before),
				       wall - ran, ran, machine->settings.cores);
	settle(machine, task);
}

/* The thread pays before it does anything else, if it owes enough. */
static bool begin_to_pay(struct machine *machine, struct task *task, const char *where)
{
	poll_displaced(machine, task);
	if (gap_now(machine, task) <= SHORTEST_NS)
		return false;
	engine_trace(machine, where, task, gap_now(machine, task));
	task->is_paying = true;
	task->pause_ns = 0;
	task->engine.pays_begin_ns = task->engine.pays_since_ns = machine->now_ns;
	task->engine.pays_cpu_ns = task->engine.pays_since_cpu_ns = task->cpu_ns;
	task->engine.holds_core = !task->engine.sleeps_on && is_crowded(machine);
	return true;
}

static struct payment payment_ends(struct machine *machine, struct task *task)
{
	struct engine_task *state = &task->engine;

	machine->engine.paused_ns += machine->now_ns - state->pays_begin_ns;
	machine->engine.pauses++;
	state->cpu_accounted_ns += task->cpu_ns - state->pays_cpu_ns;
	state->is_in_handler = state->sleeps_on = false;
	return (struct payment){.kind = PAYMENT_NONE};
}

struct payment engine_payment(struct machine *machine, struct task *task)
{
	struct engine_task *state = &task->engine;
	struct engine *engine = &machine->engine;
	uint64_t now = machine->now_ns;
	uint64_t most = state->is_in_handler ? MOST_IN_HANDLER_NS : MOST_NS;

	delay_pay(&state->local, state->holds_core ? task->cpu_ns - state->pays_since_cpu_ns :
						     now - state->pays_since_ns);
	if (state->holds_core)
		poll_displaced(machine, task);
	else
		settle(machine, task);
	state->pays_since_ns = now;
	state->pays_since_cpu_ns = task->cpu_ns;
	state->holds_core = !state->sleeps_on && is_crowded(machine);
	renew(machine, task);
	uint64_t global = engine_delay(machine);
	if (!delay_is_due(&state->local, global, SHORTEST_NS) || now - state->pays_begin_ns >= most)
		return payment_ends(machine, task);
	uint64_t pause = delay_consume(&state->local, &engine->delay, global, now, most);
	if (state->holds_core && pause > HOLD_STEP_NS) /* then clocks are read again */
		pause = HOLD_STEP_NS;
	if (state->holds_core || pause <= SLEEP_LEAST_NS)
		return (struct payment){.kind = PAYMENT_SPIN, .ns = pause};
	uint64_t length = pause - SLEEP_LEAST_NS;
	length = length < SLICE_NS ? length : SLICE_NS;
	return (struct payment){.kind = PAYMENT_SLEEP,
				.ns = length + engine->settings.sleep_late_ns};
}

uint64_t runtime_engine_tick(struct machine *machine, struct task *task)
{
	struct engine *engine = &machine->engine;
	struct engine_task *state = &task->engine;
	uint64_t now = machine->now_ns, charge;

	if (task->is_paying) { /* the tick is part of the pause */
		task->cpu_ns += engine->settings.overhead_ns;
		return engine->settings.overhead_ns;
	}
	uint64_t before = engine->settings.overhead_ns;
	uint64_t handler = engine->settings.handler_ns;
	uint64_t weight = delay_tick_of_thread(task->cpu_ns + engine->settings.overhead_ns,
					       state->cpu_accounted_ns, before);
	task->cpu_ns += engine->settings.overhead_ns + handler;
	state->cpu_accounted_ns = task->cpu_ns;
	engine_advance(machine);
	poll_displaced(machine, task);
	engine->sampled_ns += weight;
	if (task_computes_in_target(machine, task)) {
		engine->hits++;
		engine->hit_ns += weight;
		charge = delay_charge_target(&state->local, &engine->delay, 1, weight, now);
		engine_raise(machine, state->local.delay_ns, charge);
		engine_trace(machine, "tick in the target", task, 0);
	}
	engine_count_tick(machine,
			  delay_charge_tick(&state->local, &engine->delay, before + handler, now));
	state->is_in_handler = begin_to_pay(machine, task, "pays at a tick");
	/* The pause begins when the handler's own time is over. */
	state->pays_since_ns += engine->settings.overhead_ns + handler;
	state->pays_begin_ns = state->pays_since_ns;
	return engine->settings.overhead_ns + handler;
}

static bool waits_for_task(const struct machine *machine, const struct task *task)
{
	uint8_t kind = task_operation(machine, task)->kind;

	return kind != OPERATION_IO && kind != OPERATION_FLUSH && !task_naps(machine, task);
}

static void wait_begin(struct machine *machine, struct task *task)
{
	struct engine_task *state = &task->engine;
	const struct operation *operation = task_operation(machine, task);

	state->phase = PHASE_WAITS;
	state->waits_for_task = waits_for_task(machine, task);
	task->is_blocking = false;
	poll_displaced(machine, task);
	state->waits_outside = !state->waits_for_task;
	state->waits_in_target = state->waits_outside && operation->is_target;
	if (state->waits_in_target && machine->engine.delay.speedup)
		engine_join_waiters(machine, state);
	delay_leave(&state->delay, &machine->engine.delay, gap_now(machine, task), true,
		    machine->engine.global_ns, machine->now_ns);
	engine_trace(machine, "begins to wait", task, state->delay.gap_ns);
}

/* Returns whether the thread has to pay. */
static bool wait_end(struct machine *machine, struct task *task, bool is_for_task)
{
	struct engine_task *state = &task->engine;
	struct engine *engine = &machine->engine;
	uint32_t generation = state->delay.generation;

	state->phase = PHASE_BEGINS;
	engine_advance(machine);
	delay_thread_renew(&state->local, &state->delay, &engine->delay);
	engine_count_wait(machine, state);
	if (state->is_waiting_in_target && engine_leave_waiters(machine, state) &&
	    generation == engine->delay.generation) {
		uint64_t waited = machine->now_ns - state->delay.left_ns;
		delay_thread_credit(&state->local, &state->delay,
				    delay_wait_credit(&engine->delay, 0, waited),
				    engine->global_ns);
	}
	if (is_for_task) {
		bool early = engine->settings.variants.credits_to_wake &&
			     machine->now_ns - state->woken_ns < WAKING_MOST_NS &&
			     state->woken_ns > state->delay.left_ns;
		uint64_t global = early ? state->woken_delay_ns : engine->global_ns;
		delay_wake(&state->delay, DELAY_WAKER_TASK, 0, global,
			   early ? state->woken_ns : machine->now_ns);
		delay_thread_enter(&state->local, &state->delay, global);
	}
	settle(machine, task);
	engine_trace(machine, "has waited", task, gap_now(machine, task));
	state->sleeps_on = !is_for_task;
	state->sleeps_on = begin_to_pay(machine, task, "pays after its wait") && !is_for_task;
	return task->is_paying;
}

/* These look again what they wait for when they are woken, and take it in a further call. */
static bool is_of_queue(const struct operation *operation)
{
	return operation->kind == OPERATION_PUT || operation->kind == OPERATION_TAKE;
}

static bool takes_lock(const struct operation *operation)
{
	switch (operation->kind) {
	case OPERATION_LOCK:
	case OPERATION_READ_LOCK:
	case OPERATION_WRITE_LOCK:
	case OPERATION_SPIN_LOCK:
	case OPERATION_RETRY_LOCK:
		return true;
	}
	return false;
}

bool runtime_engine_before_step(struct machine *machine, struct task *task)
{
	const struct operation *operation = task_operation(machine, task);
	struct engine_task *state = &task->engine;

	if (state->phase == PHASE_WAITS) {
		if (!is_of_queue(operation) || !task->is_blocking)
			return false;
		if (wait_end(machine, task, true))
			return true;
	}
	if (state->phase == PHASE_MAY_WAIT) {
		wait_begin(machine, task);
		return false;
	}
	if (state->phase == PHASE_BEGINS && takes_lock(operation) &&
	    gap_now(machine, task) > SLEEP_LEAST_NS) {
		state->phase = PHASE_MAY_LOCK;
		if (begin_to_pay(machine, task, "pays before it locks"))
			return true;
	}
	if (program_must_wait(machine, task)) {
		state->phase = PHASE_MAY_WAIT;
		if (waits_for_task(machine, task) &&
		    begin_to_pay(machine, task, "pays before it waits"))
			return true;
		wait_begin(machine, task);
		return false;
	}
	if (state->phase == PHASE_MAY_WAKE || !operation_may_wake(operation))
		return false;
	state->phase = PHASE_MAY_WAKE;
	return begin_to_pay(machine, task, "pays before it may wake another");
}

void runtime_engine_after_step(struct machine *machine, struct task *task)
{
	struct engine_task *state = &task->engine;

	if (state->phase == PHASE_WAITS)
		wait_end(machine, task, state->waits_for_task);
	state->phase = PHASE_BEGINS;
}
