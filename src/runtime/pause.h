/* SPDX-License-Identifier: BSD-2-Clause */
/* pause - this thread's local delay L, charges, and paying the gap by sleeping or spinning. */
#pragma once

#include "runtime/global_delay.h"

/* False: there are no debts, and nothing needs to be paid. */
bool pause_is_wanted(void);
/*
 * The target ran for `weight` ns in this thread at these levels, or a tick took `overhead`. Return
 * G's growth.
 */
uint64_t pause_charge(uint32_t levels, uint64_t weight, uint64_t now);
uint64_t pause_charge_tick(uint64_t overhead, uint64_t now);
/* Forgets the debts of an earlier generation. To be called before L is used. */
void pause_renew(void);

#define PAUSE_MOST_NS 200000000u
#define PAUSE_MOST_IN_HANDLER_NS 20000000u
/* Pays the gap, for `most_ns` at most, and adds 1 to the counter if it paused. */
void pay_delay(uint64_t most_ns, __u64 *counter);
/* A tick that stands for `weight` found the thread in a spin loop, or not. */
void pause_check_spin(bool is_spinning, uint64_t weight, uint64_t now);
/* True if more than the shortest pause is owed. */
bool pause_is_due(uint64_t now);
/* True if so much is owed that the thread would sleep, by G as last written: no clock is read. */
bool pause_is_long(void);
