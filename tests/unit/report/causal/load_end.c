/* SPDX-License-Identifier: BSD-2-Clause */
/* load_end - where the load ended first, the remedy is a longer load, not a longer run. */
#include "report/causal/no_answer.h"
#include "report/causal/warnings.h"

#include "base/cleanup.h"

#include "check.h"

#include <string.h>

#define S 1000000000ull

static struct recording_run run = {.id = 1, .wall_ns = 16 * S, .samples = 9000, .finished = true};
static struct recording_point point = {.id = 7, .name = (char *)"requests"};
static struct recording_total total = {.run_id = 1, .point_id = 7, .visits = 900};
static struct recording_experiment window = {.run_id = 1,
					     .duration_ns = 12 * S,
					     .verdict = VERDICT_TOO_FEW_VISITS};

static struct recording recording = {.runs = {&run, 1, 1},
				     .points = {&point, 1, 1},
				     .experiments = {&window, 1, 1},
				     .totals = {&total, 1, 1}};

#define ENDED "the load ended after about 4.0 s of 16.0 s"

TEST("without an answer that is the reason")
{
	struct causal causal = {.too_few_visits = 1};
	AUTO(text) char *why = no_answer_reason(&recording, &causal);

	CHECK(strstr(why, "No answer: " ENDED));
	CHECK(strstr(why, "let it run until lever ends"));
	CHECK(!strstr(why, "--seconds"));
}

TEST("with answers of the time before it is a warning")
{
	struct causal causal = {.experiments = 9};
	struct warnings warnings = causal_warnings(&recording, &causal);

	CHECK(warnings.count && strstr(warnings.items[0], ENDED));
	warnings_release(&warnings);
	window.duration_ns = S;
	warnings = causal_warnings(&recording, &causal);
	CHECK(!warnings.count || !strstr(warnings.items[0], "the load ended"));
	warnings_release(&warnings);
}
