/* SPDX-License-Identifier: BSD-2-Clause */
/* The program's CPU time on a core (wire/delay_run.h). */
#include "wire/delay_run.h"

#include "check.h"

#define PERIOD_NS 80000

struct machine {
	struct delay_settings settings;
	struct delay_core core;
	struct delay_run run;
	__u64 now_ns, next_tick_ns, weights_ns, counted_ns;
	unsigned random;
};

static __u64 draw(struct machine *machine, unsigned end)
{
	machine->random = machine->random * 1103515245 + 12345;
	return (machine->random >> 8) % end;
}

static struct machine machine_begin(void)
{
	return (struct machine){.settings = {.period_ns = PERIOD_NS}, .next_tick_ns = PERIOD_NS};
}

/* The sampling clock keeps its grid: a tick that falls into a pause comes at the next point. */
static void pause_for(struct machine *machine, __u64 length_ns)
{
	machine->now_ns += length_ns;
	machine->core.paused_ns += length_ns;
	while (machine->next_tick_ns <= machine->now_ns)
		machine->next_tick_ns += PERIOD_NS;
}

/* A tick takes `overhead_ns`, and a pause of 0 to 2 periods follows. */
static void tick(struct machine *machine, __u64 overhead_ns, bool pauses)
{
	delay_run_add(&machine->run, &machine->core, machine->now_ns);
	struct delay_tick passed = delay_tick(&machine->core, &machine->settings, machine->now_ns);

	machine->next_tick_ns += PERIOD_NS;
	if (!machine->run.is_member)
		return;
	machine->weights_ns += passed.weight_ns;
	machine->counted_ns += delay_run_take(&machine->run, passed.stalled_ns);
	machine->now_ns += overhead_ns;
	machine->core.tick_overhead_ns = overhead_ns;
	if (pauses)
		pause_for(machine, draw(machine, 2 * PERIOD_NS));
}

/* The program works for `work_ns` on the core, or the core is idle as long. */
static void go_on(struct machine *machine, __u64 work_ns, __u64 overhead_ns, bool pauses)
{
	while (work_ns > 0) {
		__u64 until_tick = machine->next_tick_ns - machine->now_ns;
		__u64 step = until_tick < work_ns ? until_tick : work_ns;
		machine->now_ns += step;
		work_ns -= step;
		if (machine->now_ns == machine->next_tick_ns)
			tick(machine, overhead_ns, pauses);
	}
}

static void take_core(struct machine *machine, bool is_member)
{
	delay_run_add(&machine->run, &machine->core, machine->now_ns);
	if (is_member)
		machine->core.busy_since_ns = machine->now_ns;
	machine->run.is_member = is_member;
}

/* Turns of 100 to 299 us, between which the core is idle for 70 to 129 us. Returns their work. */
static __u64 take_turns(struct machine *machine, __u64 overhead_ns, bool pauses)
{
	__u64 worked = 0;

	for (int turn = 0; turn < 20000; turn++) {
		__u64 work = 100000 + draw(machine, 200000);
		take_core(machine, true);
		go_on(machine, work, overhead_ns, pauses);
		take_core(machine, false);
		go_on(machine, 70000 + draw(machine, 60000), 0, false);
		worked += work;
	}
	return worked;
}

TEST("CPU time of a core that becomes idle between turns is exact, with and without pauses")
{
	struct machine calm = machine_begin(), pausing = machine_begin();
	double worked_calm = (double)take_turns(&calm, 5000, false);
	double worked_pausing = (double)take_turns(&pausing, 5000, true);

	CHECK_NEAR((double)calm.counted_ns / worked_calm, 1, 0.001);
	CHECK_NEAR((double)pausing.counted_ns / worked_pausing, 1, 0.001);
	CHECK_NEAR((double)pausing.run.cpu_ns / worked_pausing, 1, 0.001);
	/* The weights of ticks are not. */
	CHECK_NEAR((double)calm.weights_ns / worked_calm, 1, 0.02);
	CHECK((double)pausing.weights_ns / worked_pausing > 1.04);
}

TEST("time in which others had the core is no CPU time")
{
	struct machine machine = machine_begin();

	take_core(&machine, true);
	machine.now_ns = 5 * PERIOD_NS;
	delay_run_add(&machine.run, &machine.core, machine.now_ns);
	CHECK_EQUAL(delay_run_take(&machine.run, 3 * PERIOD_NS), 2 * PERIOD_NS);
	CHECK_EQUAL(delay_run_take(&machine.run, PERIOD_NS), 0);
	CHECK_EQUAL(machine.run.cpu_ns, 2 * PERIOD_NS);
	take_core(&machine, false);
	machine.now_ns += PERIOD_NS;
	take_core(&machine, true);
	CHECK_EQUAL(delay_run_take(&machine.run, 0), 0);
}

TEST("a peer's CPU time is told beside the program's, and is not taken at ticks")
{
	struct machine machine = machine_begin();

	take_core(&machine, true);
	machine.now_ns = 2 * PERIOD_NS;
	take_core(&machine, false);
	machine.run.is_peer = true;
	machine.now_ns = 5 * PERIOD_NS;
	machine.core.paused_ns += PERIOD_NS;
	take_core(&machine, true);
	machine.run.is_peer = false;
	CHECK_EQUAL(machine.run.cpu_ns, 4 * PERIOD_NS);
	CHECK_EQUAL(delay_run_take(&machine.run, 0), 2 * PERIOD_NS);
}

TEST("a core on which the program has run since before the recording counts from its first tick on")
{
	struct machine machine = machine_begin();

	machine.now_ns = 36000000000000; /* since the machine's start */
	machine.next_tick_ns = machine.now_ns + PERIOD_NS;
	machine.run.is_member = true;
	machine.run.since_ns = machine.now_ns;
	go_on(&machine, 10 * PERIOD_NS, 0, false);
	CHECK_EQUAL(machine.counted_ns, 9 * PERIOD_NS);
}
