/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * coz_points - progress points of programs that were built with coz.h.
 *
 * coz.h asks the dynamic linker for _coz_get_counter and adds atomically to the counter that it
 * returns. Here that is a count in the shared stripe of the page of points, so no code of Lever
 * runs at a visit.
 *
 * The law of this folder (runtime.h) holds. Without a page or a free entry the answer is NULL and
 * the program does not count; the page counts the dropped points.
 */
#include <lever.h>

#define RUNTIME_EXPORT __attribute__((visibility("default")))

/* As in coz.h, which never accesses backoff: here it is the count of the next point. */
struct coz_counter {
	size_t count;
	size_t backoff;
};

RUNTIME_EXPORT struct coz_counter *_coz_get_counter(int type, const char *name);

/* Called in any thread, once for each point in the code. The result stays valid. */
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
