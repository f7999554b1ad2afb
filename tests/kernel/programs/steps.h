/* SPDX-License-Identifier: BSD-2-Clause */
/* steps - work that takes as long as it is told. */
#pragma once

static volatile unsigned long sink;

/* Code of the function it stands in. `by` is another in each, so that none are merged. */
#define STEPS(thousands, by)                                                               \
	do                                                                                 \
		for (unsigned long left = (unsigned long)((thousands)*1000); left; left--) \
			sink += (by);                                                      \
	while (0)
