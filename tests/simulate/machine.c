// SPDX-License-Identifier: BSD-2-Clause
/* machine - a simulated machine: cores, a scheduler, interrupts, and the tasks that run on it. */
#include "machine.h"

#include <string.h>

#define NEVER UINT64_MAX
#define SPIN_NOTICE_NS 80 /* from a store until a thread that spins sees it */

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint32_t core_index(const struct machine *machine, const struct core *core)
{
	return (uint32_t)(core - machine->cores);
}

static uint64_t lateness(struct machine *machine)
{
	uint32_t most = machine->settings.late_most_ns;

	return most ? random_next(&machine->random) % most : 0;
}

/* ---- time of a core ---- */

/* Accounts what the task on the core has done up to now. */
static void core_account(struct machine *machine, struct core *core)
{
	struct task *task = core->current;

	if (!task || machine->now_ns <= core->since_ns)
		return;
	uint64_t ran = machine->now_ns - core->since_ns;
	core->since_ns = machine->now_ns;
	task->cpu_ns += ran;
	machine->busy_ns += machine->program->roles[task->role].is_foreign ? 0 : ran;
	task->runtime_ns += (int64_t)ran;
	if (task->is_paying)
		task->pause_ns -= sooner(ran, task->pause_ns);
	else if (!task->is_spinning)
		task->left_ns -= sooner(ran, task->left_ns);
}

/* Something else takes the core's next `ns`. */
static void core_delay(struct machine *machine, struct core *core, uint64_t ns)
{
	core->since_ns = later(core->since_ns, machine->now_ns) + ns;
	if (core->current)
		core->current->runtime_ns += (int64_t)ns;
}

/* The same with interrupts off. */
static void core_hold(struct machine *machine, struct core *core, uint64_t ns)
{
	core_delay(machine, core, ns);
	core->masked_ns = core->locked_ns = core->since_ns;
}

/* The scheduler looks at slices in its own ticks only. */
static uint64_t slice_end(const struct machine *machine, const struct core *core)
{
	uint64_t tick = machine->settings.scheduler_tick_ns;
	uint64_t end = core->entered_ns + machine->settings.slice_ns;

	return (end / tick + 1) * tick;
}

static uint64_t next_slice_check(const struct machine *machine, const struct core *core)
{
	uint64_t tick = machine->settings.scheduler_tick_ns;

	return later(slice_end(machine, core), (machine->now_ns / tick + 1) * tick);
}

static void post_thread_tick(struct machine *machine, const struct core *core)
{
	uint32_t source = SOURCE_TICK + core_index(machine, core);
	const struct task *task = core->current;

	if (!task || !engine_ticks_in(machine, task)) {
		events_cancel(&machine->events, source);
		return;
	}
	uint64_t due = task->engine.tick_cpu_ns, left = due > task->cpu_ns ? due - task->cpu_ns : 0;
	events_post(&machine->events, source, later(core->since_ns, machine->now_ns) + left);
}

/* Posts the core's next event. */
static void core_post(struct machine *machine, struct core *core)
{
	uint32_t source = SOURCE_CORE + core_index(machine, core);
	const struct task *task = core->current;
	uint64_t now = machine->now_ns, time;

	if (machine->engine.settings.kind == ENGINE_RUNTIME)
		post_thread_tick(machine, core);
	if (!task)
		time = core->waiting ? later(core->since_ns, now) : NEVER;
	else if (core->must_switch)
		time = later(core->locked_ns, now);
	else if (core->since_ns > now)
		time = core->since_ns;
	else {
		uint64_t work = task->is_paying ? task->pause_ns : task->left_ns;
		if (task->is_spinning && !task->is_paying)
			time = task->has_changed ? now + SPIN_NOTICE_NS : NEVER;
		else
			time = now + work;
		if (core->waiting)
			time = sooner(time, next_slice_check(machine, core));
	}
	if (time == NEVER)
		events_cancel(&machine->events, source);
	else
		events_post(&machine->events, source, time);
}

/* ---- run queues ---- */

static void queue_insert(struct core *core, struct task *task)
{
	struct task **at = &core->queue;

	while (*at && (*at)->runtime_ns <= task->runtime_ns)
		at = &(*at)->next;
	task->next = *at;
	*at = task;
	core->waiting++;
	task->status = TASK_RUNNABLE;
}

static struct task *queue_take(struct core *core, struct task **at)
{
	struct task *task = *at;

	if (task) {
		*at = task->next;
		core->waiting--;
	}
	return task;
}

static void least_runtime_update(struct core *core)
{
	const struct task *current = core->current, *first = core->queue;
	int64_t least;

	if (!current && !first)
		return;
	if (current && first)
		least = current->runtime_ns < first->runtime_ns ? current->runtime_ns :
								  first->runtime_ns;
	else
		least = current ? current->runtime_ns : first->runtime_ns;
	if (least > core->least_runtime_ns)
		core->least_runtime_ns = least;
}

static uint32_t core_load(const struct core *core)
{
	return core->waiting + (core->current != NULL);
}

/* The core with the most tasks, if it has one to give. One that has just come may be on its way. */
static struct core *busiest_core(struct machine *machine)
{
	struct core *busiest = NULL;

	for (uint32_t i = 0; i < machine->settings.cores; i++) {
		struct core *core = &machine->cores[i];
		if (core->waiting >= (core->current ? 1 : 2) &&
		    (!busiest || core_load(core) > core_load(busiest)))
			busiest = core;
	}
	return busiest;
}

/* Takes the last task of a queue for another core. */
static struct task *queue_steal(struct core *from, const struct core *to)
{
	struct task **at = &from->queue;

	while ((*at)->next)
		at = &(*at)->next;
	struct task *task = queue_take(from, at);
	task->runtime_ns += to->least_runtime_ns - from->least_runtime_ns;
	return task;
}

/* ---- switches ---- */

static void idle_mark(struct machine *machine, uint32_t core, bool is_idle)
{
	uint64_t bit = 1ull << core % 64;

	if (is_idle)
		machine->idle[core / 64] |= bit;
	else
		machine->idle[core / 64] &= ~bit;
}

/* The first idle core from this one on; MACHINE_CORES_MOST: there is none. */
static uint32_t idle_from(const struct machine *machine, uint32_t core)
{
	uint64_t word = machine->idle[core / 64] & ~0ull << core % 64;
	uint32_t i = core / 64;

	while (!word && ++i < MACHINE_CORES_MOST / 64)
		word = machine->idle[i];
	return word ? 64 * i + (uint32_t)__builtin_ctzll(word) : MACHINE_CORES_MOST;
}

/* Another task comes, or none; `blocked`: because the one that was there waits. */
static void core_switch(struct machine *machine, struct core *core, bool blocked)
{
	uint32_t index = core_index(machine, core);
	struct task *previous = core->current, *next;

	core->must_switch = false;
	least_runtime_update(core);
	if (previous && blocked) {
		previous->status = TASK_BLOCKED;
		previous->runtime_ns -= core->least_runtime_ns;
	} else if (previous) {
		queue_insert(core, previous);
	}
	next = queue_take(core, &core->queue);
	if (!next) {
		struct core *busiest = busiest_core(machine);
		next = busiest ? queue_steal(busiest, core) : NULL;
	}
	core->current = next;
	core->since_ns = machine->now_ns;
	core->entered_ns = machine->now_ns;
	idle_mark(machine, index, !next);
	if (next)
		next->status = TASK_RUNNING;
	if (next == previous)
		return;
	uint64_t hold = engine_switch(machine, core, previous, next);
	if (!next)
		return;
	next->core = (uint16_t)index;
	core_hold(machine, core, machine->settings.switch_ns + hold);
	core->entered_ns = core->since_ns;
}

static struct core *place_woken(struct machine *machine, const struct task *task, uint32_t waker)
{
	uint32_t previous = task->core, idle = idle_from(machine, previous);

	if (idle == MACHINE_CORES_MOST)
		idle = idle_from(machine, 0);
	if (idle < MACHINE_CORES_MOST)
		return &machine->cores[idle];
	if (core_load(&machine->cores[waker]) < core_load(&machine->cores[previous]))
		return &machine->cores[waker];
	return &machine->cores[previous];
}

static void task_wake(struct machine *machine, struct task *task, uint32_t waker)
{
	struct core *core = place_woken(machine, task, waker);
	int64_t lag = task->runtime_ns, most = machine->settings.slice_ns / 2;

	task->core = (uint16_t)core_index(machine, core);
	core_account(machine, core);
	least_runtime_update(core);
	task->runtime_ns = core->least_runtime_ns + (lag > -most ? lag : -most);
	queue_insert(core, task);
	if (!core->current) {
		idle_mark(machine, core_index(machine, core), false);
		if (core->waiting == 1)
			core->since_ns = later(machine->now_ns + machine->settings.idle_exit_ns,
					       core->masked_ns);
	} else if (core->current->runtime_ns - task->runtime_ns >
		   (int64_t)machine->settings.preempt_ns) {
		core->must_switch = true;
	}
	core_post(machine, core);
}

/* ---- what the task on a core does next ---- */

static void wake_one(struct machine *machine, struct core *core, struct task *waker)
{
	struct task *woken = waker->to_wake;

	if (!waker->has_paid) {
		uint64_t hold = engine_pay_before_waking(machine, core);
		waker->has_paid = true;
		if (hold) {
			core_hold(machine, core, hold);
			return;
		}
	}
	waker->has_paid = false;
	waker->to_wake = woken->wake_next;
	waker->lag_ns += machine->settings.call_ns;
	machine->hand_overs++;
	engine_waking(machine, core, waker, woken);
	task_wake(machine, woken, core_index(machine, core));
}

static void task_block(struct machine *machine, struct core *core)
{
	core_switch(machine, core, true);
}

/* The runtime engine makes its thread pay. Returns whether the thread has left its core. */
static bool pay(struct machine *machine, struct core *core, struct task *task)
{
	struct payment payment = engine_payment(machine, task);

	task->is_pausing = payment.kind == PAYMENT_SLEEP;
	switch (payment.kind) {
	case PAYMENT_NONE:
		task->is_paying = false;
		return false;
	case PAYMENT_SPIN:
		task->pause_ns = payment.ns;
		return false;
	case PAYMENT_SLEEP:
		machine_wake_at(machine, task, machine->now_ns + payment.ns);
		task_block(machine, core);
	}
	return true;
}

/* Like a wake-up: the sender pays first, unless the message tells what it owes. */
static bool pays_before_sending(struct machine *machine, struct core *core, struct task *task)
{
	if (task_operation(machine, task)->kind != OPERATION_SEND || task->has_paid ||
	    machine->engine.settings.arrival == ARRIVAL_STAMP)
		return false;
	task->has_paid = true;
	uint64_t hold = engine_pay_before_waking(machine, core);
	if (hold)
		core_hold(machine, core, hold);
	return hold;
}

/* Goes on with the current operation; returns whether there is more to do at this moment. */
static bool task_step(struct machine *machine, struct core *core, struct task *task)
{
	task->has_changed = false;
	if (engine_before_step(machine, task) || pays_before_sending(machine, core, task))
		return true;
	uint32_t operation = task->operation;
	task->has_paid = false;
	switch (program_step(machine, task)) {
	case STEP_COMPUTE:
	case STEP_SPIN:
		return false;
	case STEP_BLOCK:
		task->is_blocking = true;
		task_block(machine, core);
		return true;
	case STEP_AGAIN:
		if (operation != task->operation || !task->stage)
			engine_after_step(machine, task);
	}
	return true;
}

static void core_go_on(struct machine *machine, struct core *core)
{
	uint64_t now = machine->now_ns;

	core_account(machine, core);
	for (;;) {
		struct task *task = core->current;

		if (!task || (core->must_switch && core->locked_ns <= now) ||
		    (core->since_ns <= now && core->waiting && now >= slice_end(machine, core) &&
		     core->queue->runtime_ns < task->runtime_ns)) {
			core_switch(machine, core, false);
			if (!core->current)
				return;
			continue;
		}
		if (core->since_ns > now)
			return;
		uint64_t more = engine_pay_on(machine, core);
		if (more) {
			core_hold(machine, core, more);
			return;
		}
		uint64_t finishing = engine_finish(machine, core);
		if (finishing) {
			core_delay(machine, core, finishing);
			core->locked_ns = core->since_ns;
		} else if (task->to_wake) {
			wake_one(machine, core, task);
		} else if (task->is_paying) {
			if (task->pause_ns || (!pay(machine, core, task) && task->pause_ns))
				return;
		} else if (task->left_ns || !task_step(machine, core, task)) {
			return;
		}
	}
}

/* ---- events ---- */

static void on_core(struct machine *machine, uint32_t index)
{
	struct core *core = &machine->cores[index];

	events_cancel(&machine->events, SOURCE_CORE + index);
	core_go_on(machine, core);
	core_post(machine, core);
}

/* An interrupt of the machine's clock for the engine of the kernel. */
static void on_core_tick(struct machine *machine, uint32_t index)
{
	struct core *core = &machine->cores[index];
	uint32_t source = SOURCE_TICK + index, period = engine_period(machine, index);

	if (core->masked_ns > machine->now_ns) {
		events_post(&machine->events, source, core->masked_ns);
		return;
	}
	core_account(machine, core);
	uint64_t hold = engine_tick(machine, core);
	if (hold)
		core_hold(machine, core, hold);
	uint64_t *grid = &core->engine.tick_grid_ns;
	do
		*grid += period;
	while (*grid <= later(core->masked_ns, machine->now_ns));
	events_post(&machine->events, source, *grid + lateness(machine));
	core_post(machine, core);
}

/* A signal of its own clock, in the thread. */
static void on_thread_tick(struct machine *machine, uint32_t index)
{
	struct core *core = &machine->cores[index];
	struct task *task = core->current;

	core_account(machine, core);
	if (task && task->cpu_ns >= task->engine.tick_cpu_ns) {
		task->engine.tick_cpu_ns = task->cpu_ns + engine_period(machine, index);
		core_delay(machine, core, engine_thread_tick(machine, task));
	}
	core_post(machine, core);
}

/* A disk's interrupt comes on one core, a timer's on the core that has set it. */
static struct core *interrupted_core(struct machine *machine, const struct task *task)
{
	bool by_disk = task_operation(machine, task)->kind == OPERATION_FLUSH && !task->is_pausing;

	return &machine->cores[by_disk ? machine->settings.cores - 1 : task->core];
}

static void on_timer(struct machine *machine, uint32_t index)
{
	struct task *task = &machine->tasks[index];
	struct core *core = interrupted_core(machine, task);

	if (core->masked_ns > machine->now_ns) {
		events_post(&machine->events, SOURCE_TASK + index, core->masked_ns);
		return;
	}
	events_cancel(&machine->events, SOURCE_TASK + index);
	core_account(machine, core);
	if (core->current)
		core_delay(machine, core, machine->settings.interrupt_ns);
	if (!task->is_pausing)
		engine_waking(machine, core, NULL, task);
	task_wake(machine, task, core_index(machine, core));
	core_post(machine, core);
}

static void on_balance(struct machine *machine)
{
	struct core *from = busiest_core(machine), *to = &machine->cores[0];

	events_post(&machine->events, SOURCE_BALANCE,
		    machine->now_ns + machine->settings.scheduler_tick_ns);
	for (uint32_t i = 1; i < machine->settings.cores; i++)
		if (core_load(&machine->cores[i]) < core_load(to))
			to = &machine->cores[i];
	if (!from || from == to || core_load(from) <= core_load(to))
		return;
	/* A difference of one cannot be removed, but goes around. */
	if (core_load(from) == core_load(to) + 1 && random_next(&machine->random) % 4)
		return;
	core_account(machine, to);
	struct task *task = queue_steal(from, to);
	task->core = (uint16_t)core_index(machine, to);
	queue_insert(to, task);
	if (!to->current)
		idle_mark(machine, core_index(machine, to), false);
	core_post(machine, from);
	core_post(machine, to);
}

static void dispatch(struct machine *machine, uint32_t source)
{
	if (source < SOURCE_TICK)
		on_core(machine, source);
	else if (source < SOURCE_TASK && machine->engine.settings.kind == ENGINE_KERNEL)
		on_core_tick(machine, source - SOURCE_TICK);
	else if (source < SOURCE_TASK)
		on_thread_tick(machine, source - SOURCE_TICK);
	else if (source < SOURCE_BALANCE)
		on_timer(machine, source - SOURCE_TASK);
	else
		on_balance(machine);
}

/* ---- the whole ---- */

void machine_wake_at(struct machine *machine, struct task *task, uint64_t time_ns)
{
	events_post(&machine->events, SOURCE_TASK + task->id, time_ns + lateness(machine));
}

uint64_t machine_receive(struct machine *machine, uint8_t object,
			 const struct engine_message *message)
{
	const struct task *waiter = machine->objects[object].waiters[0];
	uint32_t index = waiter ? waiter->core : object % machine->settings.cores;
	struct core *core = &machine->cores[index];

	if (core->masked_ns > machine->now_ns)
		return core->masked_ns;
	core_account(machine, core);
	if (core->current)
		core_delay(machine, core, machine->settings.interrupt_ns);
	struct task *woken = program_post_from_outside(machine, object);
	engine_receive(machine, core, woken, message);
	if (woken)
		task_wake(machine, woken, index);
	core_post(machine, core);
	return 0;
}

void machine_object_changed(struct machine *machine, uint32_t index)
{
	const struct object *object = &machine->objects[index];

	if (!object->spinners)
		return;
	for (uint32_t i = 0; i < machine->task_count; i++) {
		struct task *task = &machine->tasks[i];
		if (!task->is_spinning || task->status != TASK_RUNNING ||
		    task_operation(machine, task)->object != index)
			continue;
		task->has_changed = true;
		core_account(machine, &machine->cores[task->core]);
		core_post(machine, &machine->cores[task->core]);
	}
}

void machine_begin_window(struct machine *machine)
{
	machine->visits = 0;
}

void machine_start(struct machine *machine, const struct machine_settings *settings,
		   const struct engine_settings *engine, const struct program *program)
{
	events_clear(&machine->events);
	memset(machine->cores, 0, settings->cores * sizeof(machine->cores[0]));
	machine->settings = *settings;
	machine->now_ns = 1000000000; /* times before the start stay positive */
	machine->visits = machine->events_done = 0;
	engine_take_load(machine, 0);
	machine->target_left = 1;
	for (uint32_t i = 0; i < MACHINE_CORES_MOST; i++)
		machine->slowness[i] = 1;
	machine->random = random_seeded(settings->seed);
	memset(machine->idle, 0, sizeof(machine->idle));
	for (uint32_t i = 0; i < settings->cores; i++)
		idle_mark(machine, i, true);
	program_start(machine, program);
	engine_start(machine, engine);
	for (uint32_t i = 0; i < settings->cores; i++)
		machine->cores[i].since_ns = machine->now_ns;
	for (uint32_t i = 0; i < machine->task_count; i++)
		task_wake(machine, &machine->tasks[i], i % settings->cores);
	if (settings->cores > 1)
		events_post(&machine->events, SOURCE_BALANCE,
			    machine->now_ns + settings->scheduler_tick_ns);
}

void machine_run(struct machine *machine, uint64_t until_ns)
{
	while (machine->events.count) {
		struct event event = events_first(&machine->events);

		if (event.time_ns > until_ns)
			break;
		machine->now_ns = event.time_ns;
		machine->events_done++;
		dispatch(machine, event.source);
	}
	machine->now_ns = until_ns;
}
