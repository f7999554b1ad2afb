/* SPDX-License-Identifier: BSD-2-Clause */
/* course - keeps moments, and thins them out. */
#include "scale/course.h"

void course_clear(struct course *course)
{
	array_free(&course->moments);
	course->every_ns = 0;
}

static void thin_out(struct course *course)
{
	size_t kept = 0;

	for (size_t i = 1; i < course->moments.count; i += 2)
		course->moments.items[kept++] = course->moments.items[i];
	course->moments.count = kept;
	const struct scale_totals *last = &course->moments.items[kept - 1].totals;
	course->every_ns = (last->last_ns - last->begin_ns) / kept;
}

void course_add(struct course *course, const struct moment *moment)
{
	const struct scale_totals *totals = &moment->totals;
	size_t count = course->moments.count;
	uint64_t since = count ? course->moments.items[count - 1].totals.last_ns : totals->begin_ns;

	/* A tenth early is not too early: looks are not exactly in time. */
	if (!totals->begin_ns || totals->last_ns < since + course->every_ns * 9 / 10 ||
	    totals->last_ns == since)
		return;
	*array_add(&course->moments) = *moment;
	if (course->moments.count == COURSE_MOST)
		thin_out(course);
}

void course_end(struct course *course, const struct moment *moment)
{
	if (moment->totals.begin_ns)
		*array_add(&course->moments) = *moment;
}
