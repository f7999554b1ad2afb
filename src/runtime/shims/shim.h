/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shim - how libraries of other annotations write marks of a trace: lever.h with names that are not
 * known when it is compiled.
 *
 * A word is 1 + the index of a name in the memory of the trace (wire/annotations.h), and 0 where there
 * is no room for it, or no trace: marks with it are not written.
 *
 * The law of this folder holds (coz_points.c): no printing, no allocation, no lock of ours.
 */
#pragma once

/* These libraries come by dlopen, where static thread-local memory may be short. */
#define LEVER_TLS_MODEL "global-dynamic"
#include <lever.h>

#include <stdbool.h>

static inline bool shim_listens(void)
{
	return lever_listening() & LEVER_LISTEN_TRACE;
}

static inline unsigned shim_name(const char *name)
{
	struct lever_points *page = lever_points_page();
	return page && shim_listens() ? lever_name_register(page, name) : 0;
}

/* `kind`: LEVER_POINT_* or LEVER_MARK_*, with LEVER_MARK_VALUE if there is one. */
static inline void shim_mark(unsigned word, unsigned kind, unsigned long long value)
{
	struct lever_site site = {.word = word};

	if (word && shim_listens())
		lever_write(&site, "", kind, value);
}
