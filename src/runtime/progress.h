/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * progress - polls the points of lever.h and the breakpoints of this process, and finds open spans.
 */
#pragma once

#include "runtime/runtime.h"

void progress_poll(uint64_t now);
/* Once in an eighth of a sampling period. */
void progress_poll_rarely(uint64_t now);
/* The point that began this thread's innermost open span; WIRE_SPAN_NONE. */
uint32_t progress_span(void);
void progress_fork(void);
