/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * visitors - which processes visited a progress point, and how often.
 */
#pragma once

#include "profile/recording.h"

struct visitor {
	unsigned pid;
	const char *command; /* NULL: unknown */
	uint64_t visits;
};

struct visitors {
	struct visitor *items; /* most visits first; the same process in several runs is one */
	size_t count, capacity;
	uint64_t unknown; /* visits of which it is not known whose they are */
};

/* Of all runs; those without figures by process (of the runtime engine) are left out. Borrows. */
struct visitors visitors_of(const struct recording *recording, int64_t point_id);
void visitors_release(struct visitors *visitors);
