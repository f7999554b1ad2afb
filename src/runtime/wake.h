/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wake - to be called before a call that may wake another thread, or that takes a lock: what the
 * caller owes is paid first.
 */
#pragma once

#include "runtime/runtime.h"

void pay_before_wake(void);
/*
 * Only a long pause: who owes it when taking a lock would pay as it releases it, and keep it from
 * others for so long (docs/decisions.md, "Long pauses come before a lock").
 */
void pay_before_lock(void);
/* The same, through a file, a queue or a signal: the time is kept for waits that end by it. */
void pay_before_signal(void);
