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
/* What one tick takes of its core, in ns, by 50 ms of looking; 0 if it could not be told. */
uint64_t clocks_measure_tick(const struct clocks *clocks);
/*
 * The same from holes of a thread's time, sorted by size, in which so many ticks came: the cheapest quarter of
 * the longest holes.
 */
uint64_t clocks_tick_cost(const uint64_t *holes, size_t count, size_t ticks);
/* Each core's period differs a little, so that ticks do not stay in step. */
uint64_t clocks_period_on(uint64_t period_ns, unsigned cpu);
