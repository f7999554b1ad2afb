/* SPDX-License-Identifier: BSD-2-Clause */
/* thread - a thread's beginning and end, and its sampling clock. */
#pragma once

#include "runtime/runtime.h"

/* `high`: an address above all frames that a walk may read. `parent`: its L; NULL: none. */
void thread_begin(uintptr_t high, const struct delay_local *parent);
/* Pays, counts what is left, and stops sampling. */
void thread_end(void);
/* In the child of a fork, the only thread. */
void thread_fork(void);
void thread_clock_start(void);
void thread_clock_stop(void);
