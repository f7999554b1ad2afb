/* SPDX-License-Identifier: BSD-2-Clause */
/* nesting - which target stands inside which. */
#include "check.h"

#include "analyze/causal/nesting.h"
#include "base/memory.h"

#include <string.h>

#define MOST 4

/* main calls serve, that calls store+0x10, that calls write; all but the third were tried. */
static struct recording recording;
static struct recording_target rows[MOST] = {
	{.id = 1, .name = (char *)"inclusive:main", .function = (char *)"main"},
	{.id = 2, .name = (char *)"inclusive:serve", .function = (char *)"serve"},
	{.id = 3, .name = (char *)"inclusive:store+0x10", .function = (char *)"store+0x10"},
	{.id = 4, .name = (char *)"syscall:write"},
};
static struct causal_target targets[MOST];
static struct causal causal = {.targets = targets, .count = MOST};

static void edge(int64_t outer, int64_t inner, uint64_t sampled_ns)
{
	*array_add(&recording.call_edges) =
		(struct recording_call_edge){1, outer, inner, sampled_ns};
}

static void begin(void)
{
	recording.call_edges.count = 0;
	for (int i = 0; i < MOST; i++)
		targets[i] = (struct causal_target){.target = &rows[i], .count = i != 2};
	edge(1, 2, 90);
	edge(2, 3, 80);
	edge(3, 4, 70);
}

TEST("a target stands inside the nearest one of its callers that was tried")
{
	begin();
	nesting_find(&recording, &causal);
	CHECK(!targets[0].outer);
	CHECK(targets[1].outer == &targets[0]);
	CHECK(targets[3].outer == &targets[1]);
	array_free(&recording.call_edges);
}

TEST("a function without a name is told with the one that calls it")
{
	begin();
	nesting_find(&recording, &causal);
	CHECK_TEXT(targets[2].named_outer, "serve");
	CHECK(!targets[1].named_outer);
	array_free(&recording.call_edges);
}

TEST("what several functions call for less than half of its time stands inside of none")
{
	begin();
	edge(1, 4, 60);
	edge(2, 4, 50);
	nesting_find(&recording, &causal);
	CHECK(!targets[3].outer);
	array_free(&recording.call_edges);
}

TEST("functions that call each other do not stand inside each other")
{
	begin();
	edge(2, 1, 90);
	nesting_find(&recording, &causal);
	CHECK(!targets[0].outer || !targets[1].outer);
	array_free(&recording.call_edges);
}

TEST("a member of a set stands inside of its function with all that it calls")
{
	begin();
	struct recording_target member = {.id = 4,
					  .kind = TARGET_FUNCTION,
					  .name = (char *)"serve"};
	struct recording_target with_calls = rows[1];

	recording.call_edges.count = 0;
	with_calls.kind = TARGET_INCLUSIVE;
	targets[1].target = &with_calls;
	targets[3].target = &member;
	nesting_find(&recording, &causal);
	CHECK(targets[3].outer == &targets[1]);
	array_free(&recording.call_edges);
}

TEST("code without a name is told by the library's function that does nothing but jump to it")
{
	struct recording_target import = {.id = 5,
					  .kind = TARGET_FUNCTION,
					  .name = (char *)"validate",
					  .function = (char *)"validate"};
	struct causal_target with_import[MOST + 1];
	struct causal all = {.targets = with_import, .count = MOST + 1};

	begin();
	memcpy(with_import, targets, sizeof(targets));
	with_import[MOST] = (struct causal_target){.target = &import};
	edge(5, 3, 79);
	nesting_find(&recording, &all);
	CHECK_TEXT(with_import[2].named_outer, "validate");
	CHECK(with_import[2].is_all_of_named);
	CHECK(with_import[3].outer == &with_import[1]);

	memcpy(with_import, targets, sizeof(targets));
	with_import[MOST] = (struct causal_target){.target = &import};
	recording.call_edges.items[3].sampled_ns = 30;
	nesting_find(&recording, &all);
	CHECK_TEXT(with_import[2].named_outer, "serve");
	CHECK(!with_import[2].is_all_of_named);
	array_free(&recording.call_edges);
}
