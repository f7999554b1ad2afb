/* SPDX-License-Identifier: BSD-2-Clause */
/* global_delay - G and the number of threads that wait in the target, in the shared page. */
#pragma once

#include "runtime/runtime.h"

const struct delay_settings *global_delay_settings(void);
/* G, brought up to `now`. */
uint64_t global_delay(uint64_t now);
/* G as it was last written: without the part of waits that still last. */
uint64_t global_delay_written(void);

/* The thread begins to wait in the target, at a level: G grows until global_delay_wait_end. */
void global_delay_wait_begin(uint32_t level, uint64_t now);
/* True if the wait had joined, in this generation: L may be credited. */
bool global_delay_wait_end(uint64_t now);
