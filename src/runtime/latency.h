/* SPDX-License-Identifier: BSD-2-Clause */
/* latency - the integral of open spans over effective time, for Little's law. */
#pragma once

#include "runtime/runtime.h"

/* Adds the time since the last update of any thread. */
void latency_update(uint64_t now);
/* Subtracts a pause, with the spans that are open now. */
void latency_pause(uint64_t growth);
