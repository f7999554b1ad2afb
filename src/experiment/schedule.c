/* SPDX-License-Identifier: BSD-2-Clause */
/* schedule - draws targets by weight and speedups from shuffled decks. */
#include "experiment/schedule.h"

#include "base/memory.h"
#include "stats/random.h"

#include <math.h>
#include <string.h>

/* The first decks of a target have these alone: with them its rank is known soonest. */
static const double deciding[] = {0.25, 0.5, 0.75, 1};
#define DECIDING (sizeof(deciding) / sizeof(deciding[0]))
#define DECIDING_DECKS 8

struct deck {
	double *cards; /* a permutation of speedups; NULL until first used */
	size_t count, next;
	unsigned shuffles;
};

struct schedule {
	struct random random;
	double *speedups;
	size_t speedup_count;
	ARRAY(struct deck) decks; /* by target */
	size_t target;
	unsigned step; /* windows of the block so far; even ones are controls */
	bool is_in_block;
};

struct schedule *schedule_new(uint64_t seed, const double *speedups, size_t count)
{
	struct schedule *schedule = memory_new(1, sizeof(*schedule));

	schedule->random = random_seeded(seed);
	schedule->speedups = memory_new(count, sizeof(*speedups));
	for (size_t i = 0; i < count; i++)
		if (speedups[i] > 0)
			schedule->speedups[schedule->speedup_count++] = speedups[i];
	return schedule;
}

bool schedule_has_speedups(const struct schedule *schedule)
{
	return schedule->speedup_count > 0;
}

void schedule_free(struct schedule *schedule)
{
	if (!schedule)
		return;
	for (size_t i = 0; i < schedule->decks.count; i++)
		free(schedule->decks.items[i].cards);
	array_free(&schedule->decks);
	free(schedule->speedups);
	free(schedule);
}

static bool draw_target(struct schedule *schedule, const double *weights, size_t count)
{
	double total = 0;
	for (size_t i = 0; i < count; i++)
		total += weights[i];
	if (!(total > 0))
		return false;
	double at = random_uniform(&schedule->random) * total;
	for (size_t i = 0; i < count; i++) {
		if (weights[i] > 0)
			schedule->target = i;
		at -= weights[i];
		if (at < 0)
			break;
	}
	return true;
}

static bool is_deciding(double speedup)
{
	for (size_t i = 0; i < DECIDING; i++)
		if (fabs(speedup - deciding[i]) < 1e-9)
			return true;
	return false;
}

/* All speedups; of a target's first decks, those that decide, if they are among them. */
static void deck_fill(const struct schedule *schedule, struct deck *deck)
{
	deck->count = 0;
	for (size_t i = 0; i < schedule->speedup_count; i++)
		if (deck->shuffles < DECIDING_DECKS && is_deciding(schedule->speedups[i]))
			deck->cards[deck->count++] = schedule->speedups[i];
	if (deck->count == DECIDING)
		return;
	deck->count = schedule->speedup_count;
	memcpy(deck->cards, schedule->speedups, deck->count * sizeof(double));
}

static double draw_speedup(struct schedule *schedule)
{
	while (schedule->decks.count <= schedule->target)
		(void)array_add(&schedule->decks);
	struct deck *deck = &schedule->decks.items[schedule->target];
	if (!deck->cards)
		deck->cards = memory_new(schedule->speedup_count, sizeof(double));
	if (deck->next == deck->count) {
		deck_fill(schedule, deck);
		random_shuffle(&schedule->random, deck->cards, deck->count, sizeof(double));
		deck->shuffles++;
		deck->next = 0;
	}
	return deck->cards[deck->next++];
}

bool schedule_next(struct schedule *schedule, const double *weights, size_t count,
		   struct schedule_plan *plan)
{
	plan->begins_block = !schedule->is_in_block;
	if (plan->begins_block) {
		bool has_control = schedule->step == 2 * SCHEDULE_BLOCK + 1;
		size_t before = schedule->target;
		if (!draw_target(schedule, weights, count))
			return false;
		schedule->is_in_block = true;
		/* The same target again: the last block's last control is this one's first. */
		schedule->step = has_control && schedule->target == before;
	}
	plan->target = schedule->target;
	plan->speedup = 0;
	if (schedule->step % 2 && schedule->speedup_count)
		plan->speedup = draw_speedup(schedule);
	schedule->step++;
	schedule->is_in_block = schedule->step < 2 * SCHEDULE_BLOCK + 1;
	return true;
}

bool schedule_is_in_block(const struct schedule *schedule)
{
	return schedule->is_in_block;
}

double schedule_jitter(struct schedule *schedule)
{
	return 0.85 + 0.3 * random_uniform(&schedule->random);
}

void schedule_end_block(struct schedule *schedule)
{
	schedule->is_in_block = false;
	schedule->step = 0;
}
