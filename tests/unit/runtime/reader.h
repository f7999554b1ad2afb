/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader - reads the page of points of this process or of another, as the engine does from the
 * kernel: by its address and wire/points.h alone, knowing nothing of lever.h.
 */
#pragma once

#include "wire/points.h"

#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static inline int reader_copy_from(pid_t pid, unsigned long address, struct points_page *page)
{
	struct iovec local = {page, sizeof(*page)}, remote = {(void *)address, sizeof(*page)};
	if (process_vm_readv(pid, &local, 1, &remote, 1, 0) != (ssize_t)sizeof(*page))
		return 0;
	return page->names.magic == POINTS_MAGIC && page->names.version == POINTS_VERSION;
}

/* Returns whether the process has a page. */
static inline int reader_copy(pid_t pid, struct points_page *page)
{
	return reader_copy_from(pid, POINTS_ADDRESS, page) ||
	       reader_copy_from(pid, POINTS_ADDRESS_OTHER, page);
}

/* The page of this process itself, to be changed. NULL if there is none. */
static inline struct points_page *reader_own(void)
{
	struct points_page copy;
	if (reader_copy_from(getpid(), POINTS_ADDRESS, &copy))
		return (struct points_page *)POINTS_ADDRESS;
	if (reader_copy_from(getpid(), POINTS_ADDRESS_OTHER, &copy))
		return (struct points_page *)POINTS_ADDRESS_OTHER;
	return NULL;
}

/* How many entries have this name and kind: 0 or 1 in a page that is right. */
static inline unsigned reader_entries(const struct points_page *page, const char *name, int kind)
{
	unsigned found = 0;
	for (unsigned i = 0; i < page->names.count && i < POINTS_MOST; i++)
		found += page->names.entries[i].kind == kind &&
			 !strncmp(page->names.entries[i].name, name, POINTS_NAME_BYTES);
	return found;
}

/*
 * All visits of a point; 0 if it has no entry. Reads no more stripes than the page says are used.
 */
static inline unsigned long long reader_visits(const struct points_page *page, const char *name,
					       int kind)
{
	unsigned long long visits = 0;
	for (unsigned i = 0; i < page->names.count && i < POINTS_MOST; i++) {
		if (page->names.entries[i].kind != kind ||
		    strncmp(page->names.entries[i].name, name, POINTS_NAME_BYTES))
			continue;
		for (unsigned stripe = 0; stripe < POINTS_STRIPES; stripe++)
			if (stripe < page->names.stripes ||
			    (stripe == POINTS_SHARED_STRIPE && page->names.shared))
				visits += __atomic_load_n(&page->counts.counts[stripe][i],
							  __ATOMIC_RELAXED);
	}
	return visits;
}

/* The same for the process itself or another one by its id; -1 if it has no page. */
static inline long long reader_visits_of(pid_t pid, const char *name, int kind)
{
	struct points_page page;
	return reader_copy(pid, &page) ? (long long)reader_visits(&page, name, kind) : -1;
}

static inline long long reader_progress(const char *name)
{
	return reader_visits_of(getpid(), name, POINTS_PROGRESS);
}
