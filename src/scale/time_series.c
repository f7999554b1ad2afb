/* SPDX-License-Identifier: BSD-2-Clause */
/* time_series - drops every second snapshot when there are too many. */
#include "scale/time_series.h"

void time_series_clear(struct time_series *series)
{
	array_free(&series->snapshots);
	series->every_ns = 0;
}

static void thin_out(struct time_series *series)
{
	size_t kept = 0;

	for (size_t i = 1; i < series->snapshots.count; i += 2)
		series->snapshots.items[kept++] = series->snapshots.items[i];
	series->snapshots.count = kept;
	const struct scale_totals *last = &series->snapshots.items[kept - 1].totals;
	series->every_ns = (last->last_ns - last->begin_ns) / kept;
}

void time_series_add(struct time_series *series, const struct snapshot *snapshot)
{
	const struct scale_totals *totals = &snapshot->totals;
	size_t count = series->snapshots.count;
	uint64_t since =
		count ? series->snapshots.items[count - 1].totals.last_ns : totals->begin_ns;

	/* Up to a tenth early is in time: polls jitter. */
	if (!totals->begin_ns || totals->last_ns < since + series->every_ns * 9 / 10 ||
	    totals->last_ns == since)
		return;
	*array_add(&series->snapshots) = *snapshot;
	if (series->snapshots.count == TIME_SERIES_MAX)
		thin_out(series);
}

void time_series_end(struct time_series *series, const struct snapshot *snapshot)
{
	if (snapshot->totals.begin_ns)
		*array_add(&series->snapshots) = *snapshot;
}
