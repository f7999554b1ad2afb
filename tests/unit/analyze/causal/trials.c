/* SPDX-License-Identifier: BSD-2-Clause */
/* trials - windows that were sampled too rarely at the start of a run do not count. */
#include "check.h"

#include "analyze/causal/trials.h"

#define MOST 16

static struct recording_experiment windows[MOST];
static const struct recording_experiment *items[MOST];

/* "250 -90 88": periods in us; those below 0 are of windows without a speedup. */
static size_t kept_of(const int *periods, const int *runs, size_t count)
{
	struct trials trials = {.items = items, .count = count};

	for (size_t i = 0; i < count; i++) {
		windows[i] = (struct recording_experiment){
			.id = (int64_t)i,
			.run_id = runs[i],
			.speedup = periods[i] < 0 ? 0 : 0.5,
			.period_ns = 1000u * (unsigned)(periods[i] < 0 ? -periods[i] : periods[i])};
		items[i] = &windows[i];
	}
	trials_drop_coarse(&trials);
	return trials.count;
}

TEST("the first windows of each run are left out if the others had to be sampled more often")
{
	const int periods[] = {-250, 250, -250, 230, -90, 88, 95, 80, 91, -250, 250, 92, 90, 85};
	const int runs[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2};

	CHECK_EQUAL(kept_of(periods, runs, 14), 11);
	CHECK_EQUAL(items[1]->id, 2);
}

TEST("windows that were sampled more often than the others count")
{
	const int periods[] = {100, 250, 690, 700, 710, 650}, runs[] = {1, 1, 1, 1, 1, 1};

	CHECK_EQUAL(kept_of(periods, runs, 6), 6);
}

TEST("files that tell no period lose no window")
{
	const int periods[] = {0, 0, 0}, runs[] = {1, 1, 1};

	CHECK_EQUAL(kept_of(periods, runs, 3), 3);
	CHECK_EQUAL(kept_of(periods, runs, 0), 0);
}
