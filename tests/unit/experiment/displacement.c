/* SPDX-License-Identifier: BSD-2-Clause */
/* displacement - which windows count when other programs take a part of them. */
#include "check.h"

#include "experiment/session/displacement.h"

#define WINDOW_NS 100000000

/* Of a program that keeps one core busy for the rest of the time. */
static bool add(struct displacement *displacement, double share)
{
	const struct recording_experiment window = {
		.duration_ns = WINDOW_NS,
		.displaced_ns = (uint64_t)(share * WINDOW_NS + 0.5),
		.sampled_ns = (uint64_t)((share < 1 ? 1 - share : 0) * WINDOW_NS) + 7,
		.waited_ns = 7};

	return displacement_add(displacement, &window);
}

static unsigned kept_of(const double *shares, size_t count)
{
	struct displacement displacement = {0};
	unsigned kept = 0;

	for (int round = 0; round < 10; round++)
		for (size_t i = 0; i < count; i++)
			kept += add(&displacement, shares[i]);
	return kept;
}

TEST("on a calm machine a window that is disturbed does not count")
{
	double shares[] = {0.001, 0.002, 0.0, 0.001, 0.002, 0.001, 0.0, 0.05};

	CHECK_EQUAL(kept_of(shares, 8), 70);
}

TEST("where all windows are disturbed alike, all count that lose up to twice as much as usual")
{
	double shares[] = {0.10, 0.14, 0.12, 0.11, 0.08, 0.15, 0.19, 0.40};
	struct displacement displacement = {0};

	for (int i = 0; i < 32; i++)
		add(&displacement, shares[i % 8]);
	for (int i = 0; i < 7; i++)
		CHECK(add(&displacement, shares[i]));
	CHECK(!add(&displacement, shares[7]));
	CHECK_NEAR(displacement.accepted, 0.19, 1e-9);
}

TEST("a window that another program had to itself never counts")
{
	struct displacement displacement = {0};

	for (int i = 0; i < 40; i++)
		CHECK(!add(&displacement, 1.2));
}

TEST("a window of which others had far more than the program never counts")
{
	struct displacement displacement = {0};
	bool counts = false, counted = false;

	for (int i = 0; i < 40; i++) {
		counts = add(&displacement, 0.64);
		counted |= add(&displacement, 0.75);
	}
	CHECK(counts);
	CHECK(!counted);
}
