/* SPDX-License-Identifier: BSD-2-Clause */
/* breakpoints - progress points in unmodified code: a breakpoint event in each thread. */
#pragma once

#include "runtime/runtime.h"

/* Sets the breakpoints that the engine has posted, if others are set. */
void breakpoints_renew(uint64_t now);
void breakpoints_poll(uint64_t now);
void breakpoints_stop(void);
/* In the child of a fork: they are the parent's. */
void breakpoints_fork(void);
