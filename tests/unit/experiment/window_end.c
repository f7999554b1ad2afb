/* SPDX-License-Identifier: BSD-2-Clause */
/* window_end - windows of rare visits end at a visit, with enough of them, and without bias. */
#include "check.h"

#include "experiment/window_end.h"
#include "stats/random.h"

#define PLANNED_NS 82000000ull

/* A window over units whose ends are given, from 0 on. */
struct window {
	const uint64_t *ends_ns;
	size_t count;
};

static struct window_progress progress_at(const struct window *window, uint64_t now_ns)
{
	struct window_progress progress = {.elapsed_ns = now_ns};
	size_t seen = 0;

	while (seen < window->count && window->ends_ns[seen] <= now_ns)
		seen++;
	if (seen > 1) {
		progress.visits = (double)(seen - 1);
		progress.duration_ns = window->ends_ns[seen - 1] - window->ends_ns[0];
	}
	return progress;
}

static struct window_progress run(const struct window *window)
{
	struct window_progress planned = progress_at(window, PLANNED_NS);
	struct window_progress before = planned, now = planned;
	uint64_t wait_ns;

	while ((wait_ns = window_end_wait_ns(&planned, &before, &now))) {
		before = now;
		now = progress_at(window, now.elapsed_ns + wait_ns);
	}
	return now;
}

/* Units of one length, the first ends at half of that. */
static struct window_progress run_regular(uint64_t unit_ns)
{
	uint64_t ends_ns[4000];

	for (size_t i = 0; i < 4000; i++)
		ends_ns[i] = unit_ns / 2 + i * unit_ns;
	return run(&(struct window){ends_ns, 4000});
}

TEST("a window with many visits ends when its planned time is over")
{
	CHECK_EQUAL(run_regular(1000000).elapsed_ns, PLANNED_NS);
}

TEST("a window with rare visits ends soon after a visit, with enough of them")
{
	struct window_progress end = run_regular(20000000);

	CHECK(end.visits >= window_end_visits_least(end.elapsed_ns));
	CHECK(end.elapsed_ns < 120000000);
	end = run_regular(100000000);
	CHECK_NEAR(end.visits, 2, 0);
	CHECK(end.elapsed_ns >= 250000000 && end.elapsed_ns < 260000000);
}

TEST("without visits the window ends, too")
{
	struct window_progress end = run(&(struct window){NULL, 0});

	CHECK_NEAR(end.visits, 0, 0);
	CHECK(end.elapsed_ns < 6 * PLANNED_NS);
}

TEST("a long window without visits goes on for a second at most")
{
	struct window_progress planned = {.elapsed_ns = 2000000000}, now = planned;

	CHECK(window_end_wait_ns(&planned, &planned, &now) > 0);
	now.elapsed_ns = 3000000000;
	CHECK_EQUAL(window_end_wait_ns(&planned, &planned, &now), 0);
}

TEST("units of very unlike lengths are told without bias")
{
	struct random random = random_seeded(5);
	double time_ns = 0, visits = 0, planned_ns = 0, planned_visits = 0;

	for (int i = 0; i < 20000; i++) {
		uint64_t ends_ns[400];
		uint64_t now_ns = 0;
		for (size_t j = 0; j < 400; j++)
			ends_ns[j] = now_ns +=
				(uint64_t)(random_uniform(&random) < 0.5 ? 2e6 : 58e6);
		struct window window = {ends_ns, 400};
		struct window_progress end = run(&window), plain = progress_at(&window, PLANNED_NS);
		time_ns += (double)end.duration_ns;
		visits += end.visits;
		planned_ns += (double)plain.duration_ns;
		planned_visits += plain.visits;
	}
	CHECK_NEAR(time_ns / visits / 30e6, 1, 0.02);
	CHECK(planned_ns / planned_visits / 30e6 < 0.9); /* what a window without that rule says */
}
