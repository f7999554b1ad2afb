/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shim - marks of a trace whose names are not known at compile time, for libraries that pass on the
 * annotations of other interfaces.
 *
 * A name is a number: 1 + its index in the memory of the trace (wire/annotations.h), or 0 without
 * room or without a trace; marks with 0 are not written.
 *
 * The law of this folder (runtime.h) holds: no printing, no allocation, no lock.
 */
#pragma once

/* These libraries are loaded by dlopen, where static thread-local memory may be short. */
#define LEVER_TLS_MODEL "global-dynamic"
#include <lever.h>

#include <stdbool.h>

#define SHIM_SPANS_MOST 64 /* open spans of a thread; deeper ones are not recorded */

static inline bool shim_is_traced(void)
{
	return lever_listening() & LEVER_LISTEN_TRACE;
}

static inline unsigned shim_name(const char *name)
{
	struct lever_points *page = lever_points_page();
	return page && shim_is_traced() ? lever_name_register(page, name) : 0;
}

/* `kind`: LEVER_POINT_* or LEVER_MARK_*, with LEVER_MARK_VALUE if there is one. */
static inline void shim_mark(unsigned name_id, unsigned kind, unsigned long long value)
{
	struct lever_site site = {.name = name_id};

	if (name_id && shim_is_traced())
		lever_write(&site, "", kind, value);
}

/* Where spans begin to be too deep, the timeline says it. */
static inline void shim_mark_too_deep(void)
{
	shim_mark(shim_name("spans nested deeper than 64 are not recorded"), LEVER_MARK_INSTANT, 0);
}
