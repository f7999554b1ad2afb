/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of stats/false_discovery.h. */
#include "stats/false_discovery.h"
#include "check.h"

TEST("the example of Benjamini and Hochberg (1995): four of fifteen are rejected")
{
	static const double p[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
				   0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
	bool is_rejected[15];

	CHECK_EQUAL(false_discovery_reject(p, 15, 0.05, is_rejected), 4);
	CHECK(is_rejected[3] && !is_rejected[4]);
}

TEST("without a small probability none is rejected, and none of no tests")
{
	static const double p[] = {0.06, 0.5, 0.04};
	bool is_rejected[3];

	CHECK_EQUAL(false_discovery_reject(p, 3, 0.05, is_rejected), 0);
	CHECK_EQUAL(false_discovery_reject(p, 0, 0.05, is_rejected), 0);
}
