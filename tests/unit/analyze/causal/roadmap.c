/* SPDX-License-Identifier: BSD-2-Clause */
/* roadmap - steps follow targets from one assumption to the next. */
#include "check.h"

#include "analyze/causal/roadmap.h"

#include <math.h>

#define MOST 6

static struct recording_target names[MOST];
static struct causal_target targets[MOST];
static struct causal_effect effects[MOST];
static struct effect_point points[MOST][2];
static struct recording_point point = {.id = 1, .name = (char *)"op"};
static struct causal causal = {.targets = targets};

static void measure(const char *name, const char *assumed, double gain)
{
	size_t i = causal.count++;

	names[i] = (struct recording_target){.id = (int64_t)i + 1,
					     .kind = TARGET_FUNCTION,
					     .name = (char *)(uintptr_t)name,
					     .assumed = (char *)(uintptr_t)assumed};
	points[i][0] = (struct effect_point){.windows = 20};
	points[i][1] = (struct effect_point){.speedup = 0.5,
					     .gain = gain,
					     .low = gain - 0.02,
					     .high = gain + 0.02,
					     .error = 0.01,
					     .windows = 20};
	effects[i] = (struct causal_effect){.point = &point,
					    .points = points[i],
					    .bare = points[i],
					    .slope_most = INFINITY,
					    .count = 2,
					    .outcome = gain > 0.02 ? EFFECT_GAIN : EFFECT_UNSURE};
	targets[i] =
		(struct causal_target){.target = &names[i], .effects = &effects[i], .count = 1};
}

TEST("the best code comes first, then the best once that is faster, with what it gains now")
{
	causal.count = 0;
	measure("lookup", NULL, 0.30);
	measure("parse", NULL, 0.01);
	measure("parse after lookup:50%", "lookup:50%", 0.28);
	measure("write after lookup:50%", "lookup:50%", 0.05);
	measure("write after lookup:50%, parse:50%", "lookup:50%, parse:50%", 0.01);
	struct roadmap roadmap = roadmap_of(&causal);
	CHECK(roadmap.is_measured);
	CHECK_EQUAL(roadmap.count, 2);
	CHECK_TEXT(roadmap.steps[0].name, "lookup");
	CHECK(!roadmap.steps[0].has_first);
	CHECK_TEXT(roadmap.steps[1].name, "parse");
	CHECK_NEAR(roadmap.steps[1].at.gain, 0.28, 0.001);
	CHECK(roadmap.steps[1].has_first);
	CHECK_NEAR(roadmap.steps[1].at_first.gain, 0.01, 0.001);
	roadmap_release(&roadmap);
}

TEST("what is assumed is no step again, and nothing that may gain nothing is one")
{
	causal.count = 0;
	measure("lookup", NULL, 0.30);
	measure("lookup after lookup:50%", "lookup:50%", 0.30);
	measure("parse after lookup:50%", "lookup:50%", 0.01);
	struct roadmap roadmap = roadmap_of(&causal);
	CHECK_EQUAL(roadmap.count, 1);
	roadmap_release(&roadmap);
}

TEST("a high figure that is not sure is no step")
{
	causal.count = 0;
	measure("lookup", NULL, 0.30);
	measure("parse after lookup:50%", "lookup:50%", 0.70);
	effects[1].outcome = EFFECT_UNSURE;
	struct roadmap roadmap = roadmap_of(&causal);
	CHECK_EQUAL(roadmap.count, 1);
	roadmap_release(&roadmap);
}

TEST("without assumptions there is a first step, and no order")
{
	causal.count = 0;
	measure("lookup", NULL, 0.30);
	struct roadmap roadmap = roadmap_of(&causal);
	CHECK(!roadmap.is_measured);
	CHECK_EQUAL(roadmap.count, 1);
	roadmap_release(&roadmap);
}
