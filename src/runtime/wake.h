/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wake - to be called before a call that may wake another thread: what the caller owes is paid
 * first.
 */
#pragma once

#include "runtime/runtime.h"

void pay_before_wake(void);
/* The same, through a file, a queue or a signal: the time is kept for waits that end by it. */
void pay_before_signal(void);
