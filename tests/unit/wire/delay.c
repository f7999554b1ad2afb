/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The laws of delays (wire/delay.h), each over random sequences of events on a machine of a few
 * cores: the functions are those that both engines call. A seed makes a sequence; a failed law
 * prints it.
 */
#include "wire/delay_core.h"
#include "wire/delay_waiters.h"

#include "check.h"

#include <stdint.h>

#define CORES 4
#define MEMBERS 8 /* the program's tasks; those behind are kernel threads */
#define TASKS 10
#define SEEDS 300
#define STEPS 2000
#define LEAST_NS 300
#define CAP_NS 20000

enum run_state { NEW, RUNNABLE, RUNNING, BLOCKED };

/* A task, and what the laws need to know of it. */
struct subject {
	struct delay_task task;
	enum run_state state;
	bool has_joined;
	__u32 joined_generation;
	__u32 joined_level;
	__u64 born_delay_ns;        /* G when it was born, or the generation began */
	__u64 paid_ns, advanced_ns; /* pauses since then; of that, what they took too long */
	__s64 left_clock_ns;        /* its effective time when it left its core */
	__u64 left_backwards_ns;
};

struct machine {
	struct delay_settings settings;
	struct delay_core cores[CORES];
	__u64 busy_until_ns[CORES];
	__u64 untaken_ns[CORES]; /* pauses and overhead since the core's last tick */
	__s64 clocks_ns[CORES];  /* effective time of the task there, when last seen */
	int running[CORES];      /* -1: idle */
	int waking[CORES];       /* the task that is woken when that one has paid; -1 */
	struct subject subjects[TASKS];
	__u64 random, now_ns, global_ns, waiters, updated_ns, charged_ns, slot_ns;
	__s64 clock_ns;      /* now - G */
	__u64 backwards_ns;  /* how far that has run backwards, in all */
	const char *broken;  /* the first law that did not hold */
	__u64 pauses, wakes; /* so that the laws do not hold of nothing */
};

static __u64 draw(struct machine *machine, __u64 below)
{
	__u64 value = machine->random += 0x9e3779b97f4a7c15ull;

	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ull;
	value = (value ^ value >> 27) * 0x94d049bb133111ebull;
	return (value ^ value >> 31) % below;
}

static void law(struct machine *machine, bool holds, const char *sentence)
{
	if (!holds && !machine->broken)
		machine->broken = sentence;
}

/* G and the clock that it makes. */
static void set_global(struct machine *machine, __u64 value)
{
	law(machine, (__s64)(value - machine->global_ns) >= 0, "G never falls");
	machine->global_ns = value;
	__s64 clock = (__s64)(machine->now_ns - value);
	if (clock < machine->clock_ns)
		machine->backwards_ns += (__u64)(machine->clock_ns - clock);
	machine->clock_ns = clock;
}

static void advance(struct machine *machine)
{
	__u64 before = machine->updated_ns, growth = 0;

	if (delay_growth_is_due(&machine->settings, machine->waiters, before, machine->now_ns)) {
		machine->updated_ns = machine->now_ns;
		growth =
			delay_growth(&machine->settings, machine->waiters, before, machine->now_ns);
	}
	set_global(machine, machine->global_ns + growth);
}

/* The effective time of the task on a core does not run backwards while it runs. */
static void check_clock(struct machine *machine, int core)
{
	__s64 clock = (__s64)(machine->now_ns - machine->cores[core].local.delay_ns);

	law(machine, clock >= machine->clocks_ns[core], "a running task's clock runs forwards");
	machine->clocks_ns[core] = clock;
}

static void pay(struct machine *machine, int core)
{
	struct delay_local *local = &machine->cores[core].local;
	struct subject *subject = &machine->subjects[machine->running[core]];

	if (!delay_is_due(local, machine->global_ns, LEAST_NS))
		return;
	bool is_old = local->generation != machine->settings.generation;
	__u64 pause = delay_consume(local, &machine->settings, machine->global_ns, machine->now_ns,
				    machine->settings.cap_ns);
	if (is_old)
		machine->clocks_ns[core] = (__s64)(machine->now_ns - local->delay_ns);
	__u64 late = draw(machine, 4) ? 0 : draw(machine, 500);
	law(machine, pause <= machine->settings.cap_ns, "a pause never exceeds its cap");
	delay_pay(local, pause + late);
	machine->cores[core].paused_ns += pause + late;
	machine->untaken_ns[core] += pause + late;
	machine->busy_until_ns[core] = machine->now_ns + pause + late;
	machine->pauses++;
	subject->paid_ns += pause + late;
	subject->advanced_ns += late;
	law(machine,
	    subject->paid_ns - subject->advanced_ns <= machine->global_ns - subject->born_delay_ns,
	    "a task never pays twice: at most the growth of G in its life");
}

/* A tick stands for the time since the last one, less pauses and overhead, or for two periods. */
static __u64 weigh(struct machine *machine, int core)
{
	struct delay_core *of = &machine->cores[core];
	__s64 passed = (__s64)(machine->now_ns - of->tick_ns - machine->untaken_ns[core]);
	struct delay_tick tick = delay_tick(of, &machine->settings, machine->now_ns);

	passed = passed > 0 ? passed : 0;
	machine->untaken_ns[core] = 0;
	law(machine, tick.weight_ns <= 2 * machine->settings.period_ns,
	    "a tick's weight is bounded");
	law(machine,
	    tick.weight_ns == (__u64)passed || ((__u64)passed > tick.weight_ns &&
						tick.weight_ns >= machine->settings.period_ns),
	    "a tick's weight is un-paused time");
	return tick.weight_ns;
}

static void tick(struct machine *machine, int core, bool in_target)
{
	struct delay_core *of = &machine->cores[core];
	__u64 weight = weigh(machine, core);
	struct delay_task *task = &machine->subjects[machine->running[core]].task;
	__s64 gap = delay_gap(&of->local, &machine->settings, machine->global_ns);
	__u64 before = of->local.delay_ns, charged = machine->charged_ns - of->charged_at_tick_ns;

	if (machine->running[core] >= MEMBERS)
		return;
	struct delay_spin_tick spin = {.is_spinning = !draw(machine, 4),
				       .gap_ns = gap,
				       .weight_ns = (__s64)weight};
	bool spins_on = spin.is_spinning && delay_spun(task->spin);
	delay_spin(of, task, &spin, machine->charged_ns);
	__u64 credited = of->local.delay_ns - before;
	law(machine, !credited || (__s64)credited <= gap,
	    "a spinner is credited with at most its gap");
	law(machine, credited <= charged || (spins_on && credited <= weight),
	    "a spinner is credited with charges, or with the time between two ticks that find it "
	    "spinning");
	__u64 clock_before = of->local.delay_ns;
	__u32 levels = in_target ? 1 + (__u32)draw(machine, 15) : 0;
	__u64 charge = delay_charge_target(&of->local, &machine->settings, levels, weight,
					   machine->now_ns);
	of->tick_overhead_ns =
		delay_charge_tick(&of->local, &machine->settings,
				  machine->settings.tick_overhead_ns, machine->now_ns);
	machine->untaken_ns[core] = of->tick_overhead_ns;
	law(machine, of->local.delay_ns - clock_before == charge + of->tick_overhead_ns,
	    "L grows by what is charged");
	law(machine, charge <= weight, "no more is charged than has passed");
	__u64 slot =
		delay_tick_slot(machine->slot_ns, machine->settings.period_ns, machine->now_ns);
	if (of->tick_overhead_ns && slot != machine->slot_ns)
		set_global(machine, machine->global_ns + of->tick_overhead_ns);
	machine->slot_ns = slot;
	__u64 global =
		charge ? delay_later(of->local.delay_ns, machine->global_ns) : machine->global_ns;
	machine->charged_ns +=
		global - machine->global_ns < charge ? global - machine->global_ns : charge;
	set_global(machine, global);
	machine->clocks_ns[core] = (__s64)(machine->now_ns - of->local.delay_ns);
	pay(machine, core);
}

static void leave(struct machine *machine, int core, bool is_blocked)
{
	struct subject *subject = &machine->subjects[machine->running[core]];
	struct delay_local *local = &machine->cores[core].local;

	check_clock(machine, core);
	delay_leave(&subject->task, &machine->settings,
		    delay_gap(local, &machine->settings, machine->global_ns), is_blocked,
		    machine->global_ns, machine->now_ns);
	subject->state = is_blocked ? BLOCKED : RUNNABLE;
	subject->left_clock_ns =
		(__s64)(machine->now_ns - machine->global_ns) + subject->task.gap_ns;
	subject->left_backwards_ns = machine->backwards_ns;
	subject->task.is_in_io = machine->running[core] >= MEMBERS && !draw(machine, 2);
	if (machine->running[core] < MEMBERS && is_blocked && !draw(machine, 3)) {
		subject->joined_level = (__u32)draw(machine, DELAY_LEVELS);
		if (!delay_has_waiters(machine->waiters, machine->settings.generation))
			machine->updated_ns = machine->now_ns;
		machine->waiters = delay_waiters_joined(machine->waiters, subject->joined_level,
							machine->settings.generation);
		subject->joined_generation = machine->settings.generation;
		subject->has_joined = true;
	} else if (is_blocked) {
		subject->task.lock_levels = draw(machine, 5) ? 0 : (__u8)draw(machine, 16);
	}
	subject->task.runnable_levels =
		is_blocked || draw(machine, 5) ? 0 : (__u8)draw(machine, 16);
	machine->running[core] = -1;
}

static bool is_external(const struct delay_task *task)
{
	return task->is_woken && task->is_blocked && task->waker != DELAY_WAKER_TASK;
}

/* What a task owes when it goes on it owed before, or G has grown by since. */
static void enter(struct machine *machine, int core, int index, bool was_idle, __s64 left_gap)
{
	struct subject *subject = &machine->subjects[index];
	struct delay_local *local = &machine->cores[core].local;
	struct delay_entry entry = {.now_ns = machine->now_ns,
				    .global_ns = machine->global_ns,
				    .left_gap_ns = left_gap,
				    .core_was_idle = was_idle,
				    .is_member = index < MEMBERS};
	struct delay_task before = subject->task;
	bool is_new = !before.is_seen, is_old = before.generation != machine->settings.generation;

	delay_task_renew(&before, &machine->settings);
	int todo = delay_enter(local, &subject->task, &machine->settings, &entry);
	__s64 owed = before.gap_ns + (__s64)(machine->global_ns - before.delay_at_leave_ns);
	__s64 gap = (__s64)(machine->global_ns - local->delay_ns);
	__s64 clock = (__s64)(machine->now_ns - local->delay_ns);
	law(machine, !subject->task.credit_ns, "a credit is given once");
	if (is_new) {
		law(machine, gap == 0, "a new task owes nothing");
		subject->born_delay_ns = machine->global_ns;
	} else {
		__s64 credit = is_external(&before) ? (__s64)before.credit_ns : 0;
		__s64 slept = (__s64)(before.delay_at_wake_ns - before.delay_at_leave_ns);
		bool may_lose = !is_external(&before) && owed <= 0 && gap <= 0;
		law(machine, may_lose || gap <= owed - (credit < slept ? credit : slept),
		    "paid + credited = owed, and only what was paid in advance is lost");
		law(machine,
		    is_old || clock >= subject->left_clock_ns - (__s64)(machine->backwards_ns -
									subject->left_backwards_ns),
		    "effective time runs backwards over a wait only if G's clock does");
	}
	law(machine, todo & DELAY_RAISES_G || gap >= 0 || before.gap_ns < 0,
	    "no credit brings a task ahead of G");
	subject->state = RUNNING;
	machine->running[core] = index;
	machine->clocks_ns[core] = clock;
	if (todo & DELAY_RAISES_G)
		set_global(machine, delay_later(local->delay_ns, machine->global_ns));
	if (todo & DELAY_PAYS)
		pay(machine, core);
}

static int find(struct machine *machine, enum run_state state, enum run_state other)
{
	int first = (int)draw(machine, TASKS);

	for (int i = 0; i < TASKS; i++) {
		int index = (first + i) % TASKS;
		if (machine->subjects[index].state == state ||
		    machine->subjects[index].state == other)
			return index;
	}
	return -1;
}

static void wake(struct machine *machine, int core, int index, enum delay_waker waker)
{
	struct subject *subject = &machine->subjects[index];
	bool is_inside = waker == DELAY_WAKER_KERNEL_THREAD || waker == DELAY_WAKER_TASK;
	__s64 waker_gap = is_inside ? delay_gap(&machine->cores[core].local, &machine->settings,
						machine->global_ns) :
				      0;

	if (subject->state != BLOCKED)
		return;
	if (subject->has_joined && delay_waiters_has(machine->waiters, subject->joined_generation,
						     machine->settings.generation)) {
		machine->waiters -= delay_waiter(subject->joined_level);
		subject->task.credit_ns =
			delay_wait_credit(&machine->settings, subject->joined_level,
					  machine->now_ns - subject->task.left_ns);
	}
	subject->has_joined = false;
	delay_wake(&subject->task, waker, waker_gap, machine->global_ns, machine->now_ns);
	subject->state = RUNNABLE;
	machine->wakes++;
}

static void begin_generation(struct machine *machine)
{
	struct delay_settings *settings = &machine->settings;

	settings->generation++;
	settings->generation_ns = machine->now_ns;
	settings->generation_delay_ns = machine->global_ns;
	for (int i = 0; i < DELAY_LEVELS; i++)
		settings->speedups[i] = (__u32)draw(machine, DELAY_SPEEDUP_ONE + 1);
	settings->external_speedup =
		draw(machine, 4) ? 0 : (__u32)draw(machine, DELAY_SPEEDUP_ONE + 1);
	for (int i = 0; i < TASKS; i++) {
		machine->subjects[i].born_delay_ns = machine->global_ns;
		machine->subjects[i].paid_ns = machine->subjects[i].advanced_ns = 0;
	}
}

/* Another task, or none, takes the core. */
static void take(struct machine *machine, int core, bool was_idle, __s64 left_gap)
{
	int next = find(machine, RUNNABLE, NEW);

	if (next < 0)
		return;
	if (was_idle)
		machine->cores[core].busy_since_ns = machine->now_ns;
	enter(machine, core, next, was_idle, left_gap);
}

static void run_core(struct machine *machine, int core)
{
	int index = machine->running[core], wakee;

	if (index < 0) {
		weigh(machine, core);
		take(machine, core, true, 0);
		return;
	}
	check_clock(machine, core);
	if (machine->waking[core] >= 0) {
		wake(machine, core, machine->waking[core], DELAY_WAKER_TASK);
		machine->waking[core] = -1;
		return;
	}
	switch (draw(machine, 6)) {
	case 0:
		leave(machine, core, draw(machine, 2));
		take(machine, core, false, machine->subjects[index].task.gap_ns);
		return;
	case 1:
		wakee = find(machine, BLOCKED, BLOCKED);
		if (wakee >= 0 && index >= MEMBERS)
			wake(machine, core, wakee, DELAY_WAKER_KERNEL_THREAD);
		else if (wakee >= 0) {
			machine->waking[core] = wakee;
			pay(machine, core);
		}
		return;
	case 2:
		wakee = find(machine, BLOCKED, BLOCKED);
		if (wakee >= 0)
			wake(machine, core, wakee, DELAY_WAKER_EXTERNAL);
		return;
	default:
		tick(machine, core, draw(machine, 2));
	}
}

static struct machine machine_of(__u64 seed)
{
	struct machine machine = {.random = seed,
				  .now_ns = 1000000000,
				  .settings.period_ns = 50000};

	machine.settings.cap_ns = CAP_NS;
	machine.settings.tick_overhead_ns = seed % 3 ? 1500 : 0;
	machine.settings.generation = (__u32)seed - 100;
	machine.global_ns = seed % 2 ? -(__u64)draw(&machine, 3000000) : draw(&machine, 1000000);
	machine.clock_ns = (__s64)(machine.now_ns - machine.global_ns);
	begin_generation(&machine);
	for (int i = 0; i < CORES; i++) {
		machine.running[i] = machine.waking[i] = -1;
		machine.cores[i].tick_ns = machine.now_ns;
		machine.cores[i].local.delay_ns = machine.global_ns;
	}
	return machine;
}

static struct machine run(__u64 seed)
{
	struct machine machine = machine_of(seed);

	for (int step = 0; step < STEPS && !machine.broken; step++) {
		int core = (int)draw(&machine, CORES);
		machine.now_ns += 2 * machine.settings.tick_overhead_ns + draw(&machine, 30000);
		machine.settings.heartbeat_ns = machine.now_ns;
		advance(&machine);
		if (!draw(&machine, 400))
			begin_generation(&machine);
		else if (machine.now_ns >= machine.busy_until_ns[core])
			run_core(&machine, core);
	}
	if (machine.broken)
		printf("# seed %llu: %s\n", (unsigned long long)seed, machine.broken);
	return machine;
}

TEST("random sequences keep every law of G, L and gaps")
{
	__u64 pauses = 0, wakes = 0;

	for (__u64 seed = 1; seed <= SEEDS; seed++) {
		struct machine machine = run(seed);
		CHECK_TEXT(machine.broken, NULL);
		pauses += machine.pauses;
		wakes += machine.wakes;
	}
	CHECK(pauses > SEEDS * 10 && wakes > SEEDS * 10);
}

TEST("copies of G merge to the same in any order, also where they wrap")
{
	struct machine machine = machine_of(7);

	for (int turn = 0; turn < 1000; turn++) {
		__u64 values[8], base = draw(&machine, 2) ? -(__u64)500 : draw(&machine, 1000);
		for (int i = 0; i < 8; i++)
			values[i] = base + draw(&machine, 1000);
		__u64 forwards = values[0], backwards = values[7], shuffled = values[3];
		for (int i = 0; i < 8; i++) {
			forwards = delay_later(forwards, values[i]);
			backwards = delay_later(values[7 - i], backwards);
			shuffled = delay_later(shuffled, values[i * 5 % 8]);
			shuffled = delay_later(shuffled, shuffled);
		}
		CHECK_EQUAL(forwards, backwards);
		CHECK_EQUAL(forwards, shuffled);
	}
}

TEST("G grows once for waits that overlap, and by the same whoever brings it up, but for rounding")
{
	struct delay_settings settings = {.generation = 3, .speedups = {DELAY_SPEEDUP_ONE / 4}};
	struct machine machine = machine_of(11);
	__u64 waiters = delay_waiters_joined(0, 0, 3), now = 1000, growth = 0, steps = 0;

	settings.generation_ns = settings.heartbeat_ns = now;
	waiters = delay_waiters_joined(waiters, 0, 3);
	for (; now < 50000; steps++) {
		__u64 later = now + 1 + draw(&machine, 300);
		CHECK(delay_growth_is_due(&settings, waiters, now, later));
		growth += delay_growth(&settings, waiters, now, later);
		now = later;
	}
	__u64 whole = delay_growth(&settings, waiters, 1000, now);
	CHECK(growth <= whole && whole - growth <= steps);
	CHECK_EQUAL(whole, delay_wait_credit(&settings, 0, now - 1000));
}

TEST("waiters of an older generation do not count, nor does the time before it")
{
	struct delay_settings settings = {.generation = 3, .speedups = {DELAY_SPEEDUP_ONE}};
	__u64 waiters = delay_waiters_joined(delay_waiters_joined(0, 0, 3), 0, 3);

	CHECK(delay_waiters_has(waiters, 3, 3));
	CHECK(!delay_waiters_has(waiters, 2, 3));
	CHECK(delay_growth_is_due(&settings, waiters, 500, 600));
	settings.generation = 4;
	CHECK(!delay_waiters_has(waiters, 3, 4));
	CHECK(!delay_growth_is_due(&settings, waiters, 500, 600));
	waiters = delay_waiters_joined(waiters, 0, 4);
	settings.generation_ns = 580;
	CHECK_EQUAL(delay_growth(&settings, waiters, 500, 600), 20);
	CHECK_EQUAL(delay_in_generation(&settings, 500, 600), 20);
	CHECK_EQUAL(delay_in_generation(&settings, 590, 600), 10);
	CHECK_EQUAL(delay_in_generation(&settings, 610, 600), 0);
}

TEST("external pacing makes G grow without any waiter, and credits nobody")
{
	struct delay_settings settings = {.external_speedup = DELAY_SPEEDUP_ONE / 2};

	CHECK_EQUAL(delay_growth(&settings, 0, 100, 300), 100);
	CHECK_EQUAL(delay_wait_credit(&settings, 0, 200), 0);
}

TEST("nothing is charged, and debts are forgiven, when the engine is silent or disarmed")
{
	struct delay_settings settings = {.speedups = {DELAY_SPEEDUP_ONE}, .tick_overhead_ns = 1};
	struct delay_local local = {0};
	__u64 late = DELAY_HEARTBEAT_LIMIT_NS + 1;

	settings.heartbeat_ns = 1000;
	CHECK(delay_is_allowed(&settings, 10)); /* a heartbeat that came after `now` */
	CHECK_EQUAL(delay_charge_target(&local, &settings, 1, 50, 1001), 50);
	CHECK_EQUAL(delay_charge_target(&local, &settings, 1, 50, 1000 + late), 0);
	CHECK_EQUAL(delay_charge_tick(&local, &settings, 50, 1000 + late), 0);
	CHECK_EQUAL(delay_consume(&local, &settings, 5000, 1000 + late, CAP_NS), 0);
	CHECK_EQUAL(local.delay_ns, 5000);
	settings.is_disarmed = 1;
	CHECK_EQUAL(delay_consume(&local, &settings, 9000, 1001, CAP_NS), 0);
	CHECK_EQUAL(local.delay_ns, 9000);
	CHECK_EQUAL(delay_growth(&settings, 1, 0, 100), 0);
}

TEST("a speedup of more than 100 % charges nothing")
{
	CHECK_EQUAL(delay_scaled(1000, DELAY_SPEEDUP_ONE), 1000);
	CHECK_EQUAL(delay_scaled(1000, DELAY_SPEEDUP_ONE + 1), 0);
}

/*
 * One task that waits on a core of its own, and a thread that pays for itself, by the same events.
 * What was paid in advance only the thread keeps: it has slept for it.
 */
static bool engines_agree(struct machine *machine)
{
	struct delay_settings *settings = &machine->settings;
	struct delay_local core = {.delay_ns = machine->global_ns - draw(machine, 5000),
				   .generation = settings->generation};
	struct delay_local thread = core;
	struct delay_task task = {0};
	enum delay_waker waker = draw(machine, 2) ? DELAY_WAKER_TASK : DELAY_WAKER_EXTERNAL;

	delay_leave(&task, settings, delay_gap(&core, settings, machine->global_ns), true,
		    machine->global_ns, machine->now_ns);
	machine->now_ns += draw(machine, 5000);
	machine->global_ns += draw(machine, 5000);
	if (!draw(machine, 4)) {
		begin_generation(machine);
		machine->now_ns += draw(machine, 5000);
		machine->global_ns += draw(machine, 5000);
	}
	delay_wake(&task, waker, 0, machine->global_ns, machine->now_ns);
	struct delay_task waited = task;
	struct delay_entry entry = {machine->now_ns, machine->global_ns, 0, true, true, false};
	delay_enter(&core, &task, settings, &entry);
	delay_thread_renew(&thread, &waited, settings);
	if (waker == DELAY_WAKER_TASK)
		delay_thread_enter(&thread, &waited, machine->global_ns);
	return core.delay_ns == thread.delay_ns;
}

TEST("a thread that pays for itself owes after a wait what a task on a core of its own does")
{
	struct machine machine = machine_of(5);

	for (int turn = 0; turn < 10000; turn++)
		CHECK(engines_agree(&machine));
}

TEST("a charge raises G by no more than itself, and never lowers it, whatever was paid in advance")
{
	static const __u64 starts[] = {1000, ~0ull - 500}; /* G wraps in the second */

	for (unsigned i = 0; i < 2; i++) {
		__u64 global = starts[i];
		struct delay_local ahead = {.delay_ns = global + 700}, even = {.delay_ns = global};
		struct delay_local behind = {.delay_ns = global - 300};
		CHECK_EQUAL(delay_raised(global, ahead.delay_ns + 100, 100), global + 100);
		CHECK_EQUAL(delay_raised(global, even.delay_ns + 100, 100), global + 100);
		CHECK_EQUAL(delay_raised(global, behind.delay_ns + 100, 100), global);
		CHECK_EQUAL(delay_raised(global, behind.delay_ns + 400, 400), global + 100);
	}
}

TEST("a thread without a core is credited with the growth of G that other cores can have caused")
{
	struct delay_local alone = {0}, shared = {0}, whole = {0}, fallen = {0};

	delay_thread_displaced(&alone, 1000000, 3000000, 250000, 1);
	CHECK_EQUAL(alone.delay_ns, 1000000); /* on one core G grows only while others run */
	delay_thread_displaced(&shared, 1000000, 1000000, 1000000, 2);
	CHECK_NEAR((double)shared.delay_ns, 666667, 1000);
	delay_thread_displaced(&whole, 1000000, 50000000000, 0, 64);
	CHECK_EQUAL(whole.delay_ns, 1000000);
	delay_thread_displaced(&fallen, -1000, 3000000, 250000, 4);
	delay_thread_displaced(&fallen, 1000, 0, 0, 4);
	CHECK_EQUAL(fallen.delay_ns, 0);
}

TEST("a thread's tick stands for its CPU time, without what ticks took of it")
{
	CHECK_EQUAL(delay_tick_of_thread(1000, 400, 100), 500);
	CHECK_EQUAL(delay_tick_of_thread(1000, 990, 100), 0);
}

TEST("what runs in several members of a set is charged once, by the largest speedup")
{
	struct delay_settings settings = {
		.speedups = {DELAY_SPEEDUP_ONE / 4, 0, DELAY_SPEEDUP_ONE}};
	struct delay_local local = {0};

	settings.heartbeat_ns = 1000;
	CHECK_EQUAL(delay_charge_target(&local, &settings, 0x1, 400, 1000), 100);
	CHECK_EQUAL(delay_charge_target(&local, &settings, 0x5, 400, 1000), 400);
	CHECK_EQUAL(delay_charge_target(&local, &settings, 0x2, 400, 1000), 0);
	CHECK_EQUAL(local.delay_ns, 500);
	CHECK_EQUAL(delay_level_of(&settings, 0x5), 2);
	CHECK_EQUAL(delay_level_of(&settings, 0x3), 0);
}

TEST("while members wait at several levels G grows by the largest, and each is credited its own")
{
	struct delay_settings settings = {.generation = 70000,
					  .speedups = {DELAY_SPEEDUP_ONE / 4, DELAY_SPEEDUP_ONE}};
	__u64 waiters = delay_waiters_joined(0, 0, 70000);

	settings.heartbeat_ns = settings.generation_ns = 1000;
	CHECK_EQUAL(delay_growth(&settings, waiters, 1000, 1400), 100);
	waiters = delay_waiters_joined(waiters, 1, 70000);
	CHECK_EQUAL(delay_growth(&settings, waiters, 1000, 1400), 400);
	CHECK_EQUAL(delay_wait_credit(&settings, 0, 400), 100);
	waiters -= delay_waiter(1);
	CHECK_EQUAL(delay_growth(&settings, waiters, 1000, 1400), 100);
	for (int i = 0; i < 5000; i++)
		waiters = delay_waiters_joined(waiters, 0, 70000);
	CHECK_EQUAL(delay_waiters_at(waiters, 0), DELAY_WAITERS_MOST);
	CHECK_EQUAL(delay_waiters_at(waiters, 1), 0);
	CHECK_EQUAL(delay_waiters_joined(waiters, 0, 70000), waiters);
}

TEST("nothing arrives before it was sent by the sender's clock")
{
	/* It left at 1000 with a gap of 50, and waits to 1400; G grows from 300 to 500. */
	struct delay_task task = {0};
	struct delay_settings settings = {0};

	delay_leave(&task, &settings, 50, true, 300, 1000);
	delay_wake(&task, DELAY_WAKER_HOST, 120, 500, 1400);
	CHECK_EQUAL(delay_gap_after_message(&task, &settings), 120); /* L becomes the sender's */
	delay_wake(&task, DELAY_WAKER_HOST, 0, 500, 1100);
	CHECK_EQUAL(delay_gap_after_message(&task, &settings), 150); /* it waited for 100 of 250 */
	settings.period_ns = 40;
	CHECK_EQUAL(delay_gap_after_message(&task, &settings), 110);
}

TEST("a clock that ticks turn back stays within a period of the latest that it has shown")
{
	/* Each message comes 200 after the one before, and G has grown by 300 meanwhile. */
	struct delay_settings settings = {.period_ns = 500};
	struct delay_task task = {0};
	__u64 global = 0, now = 1000;
	__s64 gap = 0;

	for (int i = 0; i < 5; i++) {
		delay_leave(&task, &settings, 0, true, global, now);
		now += 200;
		global += 300;
		delay_wake(&task, DELAY_WAKER_HOST, 0, global, now);
		gap = delay_gap_after_message(&task, &settings);
		CHECK_EQUAL(gap, 0);
	}
	/* 500 behind by now: of the next 300 only the 200 of the wait are credited. */
	delay_leave(&task, &settings, 0, true, global, now);
	delay_wake(&task, DELAY_WAKER_HOST, 0, global + 300, now + 200);
	CHECK_EQUAL(delay_gap_after_message(&task, &settings), 100);
	/* What was before a generation does not count. */
	settings.generation = 1;
	settings.generation_ns = now;
	settings.generation_delay_ns = global;
	delay_task_renew(&task, &settings);
	CHECK_EQUAL(delay_gap_after_message(&task, &settings), 0);
}
