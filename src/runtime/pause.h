/* SPDX-License-Identifier: BSD-2-Clause */
/* pause - the global delay G, this thread's local delay L, and paying the gap by sleeping. */
#pragma once

#include "runtime/runtime.h"

const struct delay_settings *pause_settings(void);
/* False: there are no debts, and nothing needs to be paid. */
bool pause_is_wanted(void);
/* G, brought up to `now`. */
uint64_t pause_global(uint64_t now);
/* The target ran for `weight` ns in this thread, or a tick took `overhead`. Return G's growth. */
uint64_t pause_charge(uint64_t weight, uint64_t now);
uint64_t pause_charge_tick(uint64_t overhead, uint64_t now);
/* Forgets the debts of an earlier generation. To be called before L is used. */
void pause_renew(void);

#define PAUSE_MOST_NS 200000000u
#define PAUSE_MOST_IN_HANDLER_NS 20000000u
/* Pays the gap, for `most_ns` at most, and adds 1 to the counter if it paused. */
void pay_delay(uint64_t most_ns, __u64 *counter);
/* True if more than the shortest pause is owed. */
bool pause_is_due(uint64_t now);

/* The thread begins to wait in the target: G grows until pause_wait_end. */
void pause_wait_begin(uint64_t now);
/* True if the wait had joined, in this generation: L may be credited. */
bool pause_wait_end(uint64_t now);
