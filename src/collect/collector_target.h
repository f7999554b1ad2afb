/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collector_target - the target of an experiment, and code whose speedup stands, in controls, too.
 *
 * Ranges have values of bits WIRE_TARGET_*. At each level code has that part of the experiment's
 * speedup, and at least the speedup that stands. Levels of `waits_only` are no time on CPU. Waits
 * of `classes` (of those enabled) are the target at `class_levels`.
 */
#pragma once

#include "wire/code.h"
#include "wire/delay.h"

#include <stddef.h>
#include <stdint.h>

struct collector_level {
	double experiment, standing; /* 0..1 */
};

struct collector_target {
	const struct wire_range *ranges;
	size_t count;
	struct collector_level levels[DELAY_LEVELS];
	uint32_t waits_only, class_levels; /* a bit for each level */
	uint32_t classes;                  /* WAIT_CLASS_BIT */
};
