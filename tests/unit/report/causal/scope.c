/* SPDX-License-Identifier: BSD-2-Clause */
/* scope - what a report advises: a wider scope, or a longer run, only where it brings an answer. */
#include "report/causal/no_answer.h"
#include "report/causal/warnings.h"

#include "base/cleanup.h"

#include "check.h"

#include <string.h>

static bool advises_scope(enum target_kind kind, const char *granularity)
{
	struct recording_run run = {.samples = 9000,
				    .unwound_badly = 4000,
				    .finished = true,
				    .granularity = (char *)granularity};
	struct recording recording = {.runs = {.items = &run, .count = 1, .capacity = 1}};
	struct recording_target named[] = {{.kind = TARGET_LINE}, {.kind = kind}};
	struct causal_target targets[] = {{.target = &named[0], .experiments = 5},
					  {.target = &named[1]}};
	struct causal causal = {.targets = targets, .count = 2};
	struct warnings warnings = causal_warnings(&recording, &causal);
	bool found = false;

	for (size_t i = 0; i < warnings.count; i++)
		found |= strstr(warnings.items[i], "--scope 'bin:*'") != NULL;
	warnings_release(&warnings);
	return found;
}

TEST("lines count samples with a caller in scope; functions with all that they call need none")
{
	CHECK(advises_scope(TARGET_LINE, "line"));
	CHECK(advises_scope(TARGET_FUNCTION, "line"));
	CHECK(!advises_scope(TARGET_INCLUSIVE, "line"));
	CHECK(!advises_scope(TARGET_LINE, RECORDING_GRANULARITY_ALL));
}

static char *told_of(const char *granularity)
{
	struct recording_run run = {.samples = 9000,
				    .wall_ns = 1000000000,
				    .finished = true,
				    .granularity = (char *)granularity};
	struct recording recording = {.runs = {.items = &run, .count = 1, .capacity = 1}};
	struct causal causal = {0};

	return no_answer_reason(&recording, &causal);
}

TEST("where all binaries have targets, no scope and no granularity are advised")
{
	AUTO(text) char *lines = told_of("line"), *all = told_of(RECORDING_GRANULARITY_ALL);

	CHECK(strstr(lines, "--scope 'bin:*'"));
	CHECK(!strstr(all, "--scope"));
	CHECK(strstr(all, "made at run time"));
}

TEST("too short a run, whose windows were all controls, is to be longer")
{
	struct recording_run run = {.samples = 9000, .wall_ns = 1000000000, .finished = true};
	struct recording recording = {.runs = {.items = &run, .count = 1, .capacity = 1}};
	struct causal causal = {.experiments = 11};
	AUTO(text) char *why = no_answer_reason(&recording, &causal);

	CHECK(strstr(why, "all 11 experiments were controls"));
	CHECK(strstr(why, "(--seconds)"));
}
