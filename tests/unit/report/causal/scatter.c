/* SPDX-License-Identifier: BSD-2-Clause */
/* scatter - what decides by how much windows differ is told where they differ much. */
#include "report/causal/warnings.h"

#include "check.h"

#include <string.h>

static bool warns(struct covariates covariates, double halves, const char *of)
{
	struct recording_run run = {.samples = 9000, .finished = true};
	struct recording recording = {.runs = {.items = &run, .count = 1, .capacity = 1}};
	struct recording_target named = {.kind = TARGET_INCLUSIVE};
	struct recording_point point = {.kind = POINT_THROUGHPUT};
	struct causal_effect effect = {.point = &point,
				       .covariates = covariates,
				       .transients = {.noise = halves}};
	struct causal_target target = {.target = &named,
				       .experiments = 5,
				       .effects = &effect,
				       .count = 1};
	struct causal causal = {.targets = &target, .count = 1};
	struct warnings warnings = causal_warnings(&recording, &causal);
	bool found = false;

	for (size_t i = 0; i < warnings.count; i++)
		found |= strstr(warnings.items[i], of) != NULL;
	warnings_release(&warnings);
	return found;
}

TEST("cores that change their speed are named where CPU time explains the scatter")
{
	CHECK(warns((struct covariates){.scatter = 0.14, .left = 0.05}, 0.04,
		    "differ by 14 %, as this machine takes more or less CPU time"));
	CHECK(!warns((struct covariates){.scatter = 0.14, .left = 0.12}, 0.04, "this machine"));
	CHECK(!warns((struct covariates){.scatter = 0.05, .left = 0.01}, 0.04, "differ by"));
}

TEST("what paces the program is named where CPU time and units explain no scatter")
{
	CHECK(warns(
		(struct covariates){.scatter = 0.1, .left = 0.09}, 0.04,
		"differ by 10 %, 9 % without what CPU time and other programs explain: a disk"));
	CHECK(!warns((struct covariates){.scatter = 0.1, .left = 0.09}, 0.2, "differ by"));
	CHECK(!warns((struct covariates){.scatter = 0.1, .left = 0.02}, 0.02, "a disk"));
}
