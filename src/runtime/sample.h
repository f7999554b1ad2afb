/* SPDX-License-Identifier: BSD-2-Clause */
/* sample - the handler of the sampling clock, and the ring of samples. */
#pragma once

#include "runtime/stack_walk.h"

void sample_on_signal(int number, void *information, void *context);
/* Records `weight` ns at the location that the walk has found, at its levels. */
void sample_emit(const struct walk *walk, uint64_t weight, uint32_t flags);
