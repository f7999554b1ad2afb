/* SPDX-License-Identifier: BSD-2-Clause */
/* time_series - keeps snapshots, and thins them out. */
#include "scale/time_series.h"

void time_series_clear(struct time_series *time_series)
{
	array_free(&time_series->snapshots);
	time_series->every_ns = 0;
}

static void thin_out(struct time_series *time_series)
{
	size_t kept = 0;

	for (size_t i = 1; i < time_series->snapshots.count; i += 2)
		time_series->snapshots.items[kept++] = time_series->snapshots.items[i];
	time_series->snapshots.count = kept;
	const struct scale_totals *last = &time_series->snapshots.items[kept - 1].totals;
	time_series->every_ns = (last->last_ns - last->begin_ns) / kept;
}

void time_series_add(struct time_series *time_series, const struct snapshot *snapshot)
{
	const struct scale_totals *totals = &snapshot->totals;
	size_t count = time_series->snapshots.count;
	uint64_t since =
		count ? time_series->snapshots.items[count - 1].totals.last_ns : totals->begin_ns;

	/* A tenth early is not too early: looks are not exactly in time. */
	if (!totals->begin_ns || totals->last_ns < since + time_series->every_ns * 9 / 10 ||
	    totals->last_ns == since)
		return;
	*array_add(&time_series->snapshots) = *snapshot;
	if (time_series->snapshots.count == TIME_SERIES_MAX)
		thin_out(time_series);
}

void time_series_end(struct time_series *time_series, const struct snapshot *snapshot)
{
	if (snapshot->totals.begin_ns)
		*array_add(&time_series->snapshots) = *snapshot;
}
