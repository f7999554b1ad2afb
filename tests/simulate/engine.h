/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine - what the engines do on a simulated machine: which hooks they have, and who pays how.
 *
 * The kernel engine pays by holding a core; the runtime engine pays by spinning or sleeping in the
 * thread. The rules themselves are the functions of wire/delay.h.
 */
#pragma once

#include "experiment/sampling_rate.h"
#include "wire/delay_budget.h"
#include "wire/delay_turn.h"
#include "wire/delay_waiters.h"

#include <stdbool.h>
#include <stdint.h>

enum engine_kind { ENGINE_NONE, ENGINE_KERNEL, ENGINE_RUNTIME };

struct machine;
struct task;
struct core;

/*
 * Changes of the rules that are under test: what they would bring. README.md tells what was seen.
 */
struct engine_variants {
	bool raises_by_charge; /* kernel engine: a charge raises G by no more than the charge */
	bool adds_charges;    /* charges of several cores add up, instead of the largest counting */
	bool credits_to_wake; /* runtime engine: of a wait, up to the wake-up, not to the return */
	bool charges_no_way;  /* kernel engine: without delay_hand_over.h */
	bool wakes_before;    /* an interrupt that a pause has held up came when that pause began */
};

/* What wakes a task if a message of another host does: rules that hosts.h compares. */
enum engine_arrival {
	ARRIVAL_EXTERNAL, /* a device: the growth of G during the wait is owed */
	ARRIVAL_TASK,     /* a task: that growth is credited */
	ARRIVAL_TOLD,     /* so is what the sender's host had charged, when that is heard of */
	ARRIVAL_STAMP,    /* the message carries the sender's L: delay_gap_after_message */
};

/* A message of another host. */
struct engine_message {
	uint32_t from;
	uint64_t sent_ns;
	uint64_t stamp_ns; /* the sender's L */
};

/* What a host has heard of another: G at this time. */
struct engine_heard {
	uint64_t time_ns, delay_ns;
};

struct engine_settings {
	enum engine_kind kind;
	enum engine_arrival arrival;
	struct engine_variants variants;
	uint32_t period_ns;   /* usual; engine_set_period changes it */
	uint32_t overhead_ns; /* of a tick, beside its handler */
	uint32_t handler_ns;
	uint32_t cap_ns; /* kernel engine: longest pause at once */
	/* kernel engine: what a tick takes besides, and the engine does not know of */
	uint32_t uncharged_ns;
	uint32_t overshoot_ns;  /* of a pause that spins */
	uint32_t sleep_late_ns; /* of a pause that sleeps, beside the machine's own lateness */
	bool is_traced;
};

/* Where a thread of the runtime engine is in an operation. */
enum engine_phase { PHASE_BEGINS, PHASE_MAY_LOCK, PHASE_MAY_WAIT, PHASE_WAITS, PHASE_MAY_WAKE };

/* A task's part. */
struct engine_task {
	struct delay_task delay;
	bool is_waiting_in_target; /* at a speedup */
	bool waits_outside;        /* for a device or a timer */
	bool waits_in_target;      /* such a wait, also without a speedup */
	bool owes_more;            /* kernel engine: than one pause */
	uint32_t joined_generation;

	/* Runtime engine. */
	uint64_t woken_ns, woken_delay_ns; /* by a thread */
	struct delay_local local;
	uint8_t phase;
	bool is_in_handler, waits_for_task;
	bool holds_core;  /* its pause spins, as threads outnumber cores */
	bool sleeps_on;   /* its pause makes the wait longer that it has just ended */
	bool was_crowded; /* at settled_ns */
	uint64_t settled_ns, settled_cpu_ns, settled_delay_ns; /* as runtime/contention.c */
	uint64_t pays_since_cpu_ns;
	uint64_t tick_cpu_ns; /* CPU time at which the next tick is due */
	uint64_t cpu_accounted_ns;
	uint64_t pays_since_ns, pays_begin_ns, pays_cpu_ns; /* 0: it does not pay */

	/* ARRIVAL_TOLD: woken by a message whose sender's G has not been heard yet. */
	bool is_owed_credit;
	struct engine_message message;
	uint64_t wake_delay_ns; /* G here when it arrived */
};

/* A core's part, of the kernel engine. */
struct engine_core {
	struct delay_core delay;
	struct delay_turn turn;
	struct delay_budget budget;
	uint64_t tick_grid_ns; /* nominal time of the next tick */
	bool owes_more, is_finishing, has_paused;
	uint64_t pause_begin_ns, pause_begin_delay_ns, pause_end_ns; /* of the last one */
};

#define ENGINE_GROWTHS 4096

/* G grew to this. */
struct engine_growth {
	uint64_t time_ns, delay_ns;
};

/*
 * Kernel engine: how long after G has grown a core that goes on with its task pays for it. Of the
 * growths, the last ones are known; what is older counts as old as the oldest of these.
 */
struct engine_lag {
	struct engine_growth growths[ENGINE_GROWTHS];
	uint64_t growth_count; /* ever */
	uint64_t payments, sum_ns, most_ns;
};

struct engine {
	struct engine_settings settings;
	struct delay_settings delay;
	uint64_t global_ns;      /* G */
	uint64_t tick_slot_ns;   /* delay_tick_slot */
	uint64_t charge_slot_ns; /* delay_charge_slot */
	uint64_t charged_ns;
	uint64_t waiters, waiters_updated_ns;
	uint64_t pauses, paused_ns, capped, hits;
	/* By samples on CPU, and by waits for devices and timers that have ended. */
	uint64_t sampled_ns, hit_ns;
	struct engine_lag lag;
};

enum payment_kind { PAYMENT_NONE, PAYMENT_SPIN, PAYMENT_SLEEP };

struct payment {
	enum payment_kind kind;
	uint64_t ns;
};

void engine_start(struct machine *machine, const struct engine_settings *settings);
/* A new experiment begins: all debts are forgotten. 0 <= speedup <= 1. */
void engine_set_speedup(struct machine *machine, double speedup);
/* Of sampling; cores differ a little. */
void engine_set_period(struct machine *machine, uint32_t period_ns);
/* What the program did since the last call, at this speedup. */
struct sampling_rate_window engine_take_load(struct machine *machine, double speedup);
/* G. */
uint64_t engine_delay(struct machine *machine);

/* Hooks of the kernel engine. They return for how long the core is held. */
uint32_t engine_period(const struct machine *machine, uint32_t core);
uint64_t engine_tick(struct machine *machine, struct core *core);
uint64_t engine_pay_before_waking(struct machine *machine, struct core *core);
uint64_t engine_switch(struct machine *machine, struct core *core, struct task *previous,
		       struct task *next);
/* A pause with interrupts off is over: what G has grown by meanwhile is paid, too. */
uint64_t engine_pay_on(struct machine *machine, struct core *core);
/* The same at the end of a switch, with interrupts allowed; 0: nothing is owed. */
uint64_t engine_finish(struct machine *machine, struct core *core);
/* On this core; `waker` NULL: an interrupt. */
void engine_waking(struct machine *machine, struct core *core, struct task *waker,
		   struct task *woken);

/* A message arrives on this core and wakes a task, or nobody: NULL. */
void engine_receive(struct machine *machine, struct core *core, struct task *woken,
		    const struct engine_message *message);
/* What a message carries that is sent from this core. */
uint64_t engine_stamp(const struct machine *machine, const struct core *core);
/* Another host's G is heard: the copy here becomes at least as large. */
void engine_merge(struct machine *machine, uint64_t delay_ns);
/* ARRIVAL_TOLD: the same, of one host at a time of its clock. */
void engine_hear(struct machine *machine, uint32_t from, const struct engine_heard *heard);

/* Hooks of the runtime engine. */
bool engine_ticks_in(const struct machine *machine, const struct task *task);
/* Returns what the tick costs the thread beside a pause. */
uint64_t engine_thread_tick(struct machine *machine, struct task *task);
/* Around each operation. Before: returns whether the thread has to pay first. */
bool engine_before_step(struct machine *machine, struct task *task);
void engine_after_step(struct machine *machine, struct task *task);
struct payment engine_payment(struct machine *machine, struct task *task);
