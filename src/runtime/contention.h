/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * contention - more threads than cores: pauses that keep their core, and credit for time without.
 *
 * A pause that sleeps gives its core to another thread, so nothing pauses. A thread that spins
 * pauses its core, and all threads that wait for it, as a pause of the kernel engine does.
 */
#pragma once

#include "runtime/runtime.h"

/* Whether there is a core for each thread that does not wait. */
bool contention_has_core_each(uint64_t now);
/* Whether threads outnumber cores, or this one had none a moment ago. */
bool contention_is_met(uint64_t now);
/*
 * The thread was runnable without a core until now: another program had it, unless threads
 * outnumbered cores. A length of 0 only asks for the latter.
 */
void contention_displaced(uint64_t now, uint64_t length_ns);
/* Spins for `length_ns` of its own time; returns how much of that has passed. */
uint64_t contention_hold(uint64_t length_ns);
/*
 * Asks the clocks whether another task has had this thread's core for long, and credits the growth
 * of G meanwhile. `cpu`: the thread's CPU time.
 */
void contention_poll(uint64_t now, uint64_t cpu);
/* After a wait, a pause or a tick: their rules have settled the growth of G. */
void contention_settled(uint64_t now);
