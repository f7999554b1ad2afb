/* SPDX-License-Identifier: BSD-2-Clause */
/* merge - runs of several recordings as one. */
#include "profile/merge.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "check.h"

/* A chain of two frames, one thread, one sample of `weight_ns`. */
static struct recording *made(const char *outer, const char *inner, int64_t started_s,
			      uint64_t weight_ns, const char *note)
{
	struct recording *recording = memory_new(1, sizeof(*recording));

	*array_add(&recording->runs) = (struct recording_run){.id = 1,
							      .kind = RUN_SAMPLES,
							      .started_s = started_s,
							      .wall_ns = 600000000000,
							      .note = text_copy(note)};
	*array_add(&recording->frames) =
		(struct recording_frame){.id = 1, .function = text_copy(outer)};
	*array_add(&recording->frames) =
		(struct recording_frame){.id = 2, .function = text_copy(inner)};
	*array_add(&recording->stacks) = (struct recording_stack){1, 0, 1};
	*array_add(&recording->stacks) = (struct recording_stack){2, 1, 2};
	*array_add(&recording->threads) =
		(struct recording_thread){1, 1, 11, 12, text_copy("name")};
	*array_add(&recording->stack_samples) =
		(struct recording_stack_sample){.id = 1,
						.run_id = 1,
						.thread_id = 1,
						.stack_id = 2,
						.samples = 1,
						.weight_ns = weight_ns};
	return recording;
}

static struct recording *merged(struct recording **parts, size_t count, int64_t first_s,
				int64_t last_s)
{
	struct merge *merge = merge_new();

	for (size_t i = 0; i < count; i++) {
		merge_add(merge, parts[i], first_s, last_s);
		recording_free(parts[i]);
	}
	struct recording *recording = merge_take(merge);
	merge_free(merge);
	return recording;
}

static const char *function_of(const struct recording *recording, uint64_t stack_id)
{
	int64_t frame_id = recording_stack(recording, (int64_t)stack_id)->frame_id;

	return recording_frame(recording, frame_id)->function;
}

TEST("samples keep their chains; equal frames and chains are one")
{
	struct recording *parts[] = {made("main", "parse", 1000, 5, NULL),
				     made("parse", "main", 1600, 6, NULL),
				     made("main", "parse", 2200, 7, NULL)};
	struct recording *all = merged(parts, 3, 0, INT64_MAX);

	CHECK_EQUAL(all->runs.count, 3);
	CHECK_EQUAL(all->frames.count, 2);
	CHECK_EQUAL(all->stacks.count, 4);
	CHECK_EQUAL(all->threads.count, 3);
	CHECK_EQUAL(all->stack_samples.count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct recording_stack_sample *sample = &all->stack_samples.items[i];
		uint64_t caller = recording_stack(all, (int64_t)sample->stack_id)->caller_id;
		CHECK_EQUAL(sample->weight_ns, 5 + i);
		CHECK_EQUAL(sample->run_id, (int64_t)i + 1);
		CHECK_EQUAL(recording_thread(all, sample->thread_id)->run_id, (int64_t)i + 1);
		CHECK_TEXT(function_of(all, sample->stack_id), i == 1 ? "main" : "parse");
		CHECK_TEXT(function_of(all, caller), i == 1 ? "parse" : "main");
	}
	recording_free(all);
}

TEST("a run at the edge of a range counts only with more than a moment of it")
{
	const struct {
		int64_t first_s, last_s;
		size_t runs;
	} cases[] = {
		{0, INT64_MAX, 3}, {1600, 2200, 1},      {1601, 2201, 1},
		{1598, 2202, 1},   {1590, 2210, 3},      {1599, 1600, 1},
		{0, 999, 0},       {2801, INT64_MAX, 0}, {1700, 1800, 1},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct recording *parts[] = {made("a", "b", 1000, 1, NULL),
					     made("a", "b", 1600, 1, NULL),
					     made("a", "b", 2200, 1, NULL)};
		struct recording *some = merged(parts, 3, cases[i].first_s, cases[i].last_s);
		CHECK_EQUAL(some->runs.count, cases[i].runs);
		CHECK_EQUAL(some->stack_samples.count, cases[i].runs);
		recording_free(some);
	}
}

TEST("notes that differ in their number are added up, others stand once")
{
	struct recording *parts[] = {made("a", "b", 1000, 1,
					  "12 waits were not recorded\nno kernel names"),
				     made("a", "b", 1600, 1,
					  "no kernel names\n30 waits were not recorded"),
				     made("a", "b", 2200, 1, NULL)};
	struct recording *all = merged(parts, 3, 0, INT64_MAX);

	CHECK_TEXT(all->runs.items[0].note, "42 waits were not recorded\nno kernel names");
	CHECK(!all->runs.items[1].note);
	recording_free(all);
}
