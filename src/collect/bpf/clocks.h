/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clocks - a sampling clock on every core: cpu-clock events that run a BPF program.
 *
 * Life: clocks_clear, clocks_open, clocks_enable, clocks_close.
 */
#pragma once

#include "base/error.h"
#include "wire/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clocks {
	int events[KERNEL_CPUS_MOST]; /* -1 where the core is offline */
	uint64_t period_ns;           /* as opened */
};

void clocks_clear(struct clocks *clocks);
int clocks_open(struct clocks *clocks, int program, uint64_t period_ns, struct error *error);
void clocks_close(struct clocks *clocks);
void clocks_enable(const struct clocks *clocks, bool enable);
int clocks_set_period(const struct clocks *clocks, uint64_t period_ns, struct error *error);
/* What one tick takes of its core, in ns; 0: not measurable. `period_ns` is the one that is set. */
uint64_t clocks_measure_tick(const struct clocks *clocks, uint64_t period_ns, uint64_t duration_ns);
/* Each core's period differs a little, so that the cores' ticks do not stay in step. */
uint64_t clocks_period_on(uint64_t period_ns, unsigned cpu);
