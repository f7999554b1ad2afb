/* SPDX-License-Identifier: BSD-2-Clause */
/* displacement - which windows count when other programs take a part of them. */
#include "check.h"

#include "experiment/session/displacement.h"

static unsigned kept_of(const double *shares, size_t count)
{
	struct displacement displacement = {0};
	unsigned kept = 0;

	for (int round = 0; round < 10; round++)
		for (size_t i = 0; i < count; i++)
			kept += displacement_add(&displacement, shares[i]);
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
		displacement_add(&displacement, shares[i % 8]);
	for (int i = 0; i < 7; i++)
		CHECK(displacement_add(&displacement, shares[i]));
	CHECK(!displacement_add(&displacement, shares[7]));
	CHECK_NEAR(displacement.accepted, 0.19, 1e-9);
}

TEST("a window that another program had to itself never counts")
{
	struct displacement displacement = {0};

	for (int i = 0; i < 40; i++)
		CHECK(!displacement_add(&displacement, 1.2));
}
