/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * coz_points - lets programs that were built with coz.h count for Lever, unchanged.
 *
 * coz.h asks the dynamic linker for _coz_get_counter and adds atomically to what it returns. Here
 * that is a place in the shared stripe of the page of points, so nothing of ours runs at a visit.
 *
 * The law of this folder: we live in another's process. We include wire/ and system headers only
 * (and our own public lever.h, which maps the page and registers names). We never print, abort,
 * allocate or wait, and leave errno, signals and masks alone. Where there is no page, or no free
 * entry, the answer is NULL and the program does not count; the page says how many were dropped.
 */
#include <lever.h>

#define RUNTIME_EXPORT __attribute__((visibility("default")))

/* What coz.h knows of a counter. It never touches backoff, which here is the next point's count. */
struct coz_counter {
	size_t count;
	size_t backoff;
};

RUNTIME_EXPORT struct coz_counter *_coz_get_counter(int type, const char *name);

/* Called by the program, in any thread, once for each place. The result is valid forever. */
struct coz_counter *_coz_get_counter(int type, const char *name)
{
	struct lever_points *page = lever_points_page();
	unsigned int index;

	/* coz.h numbers throughput, begin and end as Lever does. */
	if (!page || !name || type < LEVER_POINT_PROGRESS || type > LEVER_POINT_END)
		return NULL;
	index = lever_point_register(page, name, (unsigned char)type);
	if (index >= LEVER_POINTS_MOST)
		return NULL;
	lever_raise(&page->head.shared, 1);
	return (struct coz_counter *)&page->counts[LEVER_SHARED_STRIPE][index];
}
