/* SPDX-License-Identifier: BSD-2-Clause */
/* rate_cycle - a rate is low or high by two thresholds, so that noise between them is no rise. */
#include "experiment/rate_cycle.h"

#include <math.h>
#include <string.h>

#define CELL_NS 20e6
#define MERGE_NS 2e6 /* shorter steps become one */

/* Simulated and real series: docs/decisions.md, "Slow units". */
#define PAIRS_LEAST 40
#define PAIRS_LIKELY 9
#define RISES_LEAST 3
#define DEVIATION_LEAST 0.2    /* over the mean */
#define CORRELATION_LEAST 0.25 /* of neighbours, ... */
#define CORRELATION_ERRORS 1.5 /* ... and so many standard errors of none above that */
#define PHASE_LEAST 0.5        /* of the variance, by one change of the mean, is a phase's */
#define VISITS_LEAST 1.2       /* a cell: with fewer, rates are noise of counting */

#define BAND 0.4      /* standard deviations from the mean to either threshold */
#define LOW_LEAST 0.3 /* of the mean */

static double mean_of(const struct rate_cycle *cycle)
{
	return cycle->cells > 0 ? cycle->sum / cycle->cells : 0;
}

static double variance_of(const struct rate_cycle *cycle)
{
	double mean = mean_of(cycle);

	return cycle->cells > 1 ? fmax(0, cycle->squares / cycle->cells - mean * mean) : 0;
}

static bool is_low(const struct rate_cycle *cycle, double rate)
{
	double mean = mean_of(cycle);

	return rate < fmax(mean - BAND * sqrt(variance_of(cycle)), LOW_LEAST * mean);
}

static bool is_high(const struct rate_cycle *cycle, double rate)
{
	return rate > mean_of(cycle) + BAND * sqrt(variance_of(cycle));
}

static void merge_blocks(struct rate_cycle *cycle)
{
	cycle->block_count /= 2;
	cycle->block_cells *= 2;
	for (unsigned i = 0; i < cycle->block_count; i++) {
		const struct rate_cycle_block *pair = &cycle->blocks[2 * i];
		cycle->blocks[i] = (struct rate_cycle_block){pair[0].cells + pair[1].cells,
							     pair[0].sum + pair[1].sum};
	}
}

static void add_to_blocks(struct rate_cycle *cycle, double rate)
{
	struct rate_cycle_block *last = cycle->blocks;

	if (cycle->block_count)
		last += cycle->block_count - 1;
	else
		cycle->block_cells = 1;
	if (last->cells > 0 && last->cells < cycle->block_cells) {
		last->cells++;
		last->sum += rate;
		return;
	}
	if (cycle->block_count == RATE_CYCLE_BLOCKS)
		merge_blocks(cycle);
	cycle->blocks[cycle->block_count++] = (struct rate_cycle_block){1, rate};
}

/* What the cells' variance is less if the mean changes once, at the best time. */
static double phase_variance(const struct rate_cycle *cycle)
{
	double cells = 0, sum = 0, most = 0;

	for (unsigned i = 0; i + 1 < cycle->block_count; i++) {
		cells += cycle->blocks[i].cells;
		sum += cycle->blocks[i].sum;
		double later = cycle->cells - cells;
		double difference = sum / cells - (cycle->sum - sum) / later;
		most = fmax(most, cells * later * difference * difference);
	}
	return most / cycle->cells / cycle->cells;
}

static void add_cell(struct rate_cycle *cycle, double rate)
{
	add_to_blocks(cycle, rate);
	if (cycle->last >= 0) {
		cycle->pairs++;
		cycle->paired_ns += cycle->cell.ns;
		cycle->differences += (rate - cycle->last) * (rate - cycle->last) / 2;
	}
	cycle->cells++;
	cycle->sum += rate;
	cycle->squares += rate * rate;
	cycle->last = rate;
	if (is_low(cycle, rate)) {
		cycle->was_low = true;
	} else if (cycle->was_low && is_high(cycle, rate)) {
		cycle->was_low = false;
		cycle->rises++;
	}
}

void rate_cycle_learn(struct rate_cycle *cycle, double effective_ns, double visits)
{
	if (!cycle->cells)
		cycle->last = -1;
	cycle->cell.ns += effective_ns;
	cycle->cell.visits += visits;
	if (cycle->cell.ns < CELL_NS)
		return;
	add_cell(cycle, cycle->cell.visits / cycle->cell.ns);
	cycle->cell = (struct rate_cycle_step){0};
}

void rate_cycle_break(struct rate_cycle *cycle)
{
	cycle->cell = (struct rate_cycle_step){0};
	cycle->last = -1;
	cycle->was_low = false;
}

static bool varies(const struct rate_cycle *cycle, double correlation_least)
{
	double mean = mean_of(cycle), variance = variance_of(cycle);
	double phase = cycle->pairs >= PAIRS_LEAST ? phase_variance(cycle) : 0;

	if (phase >= PHASE_LEAST * variance)
		variance -= phase;
	return mean * CELL_NS >= VISITS_LEAST && sqrt(variance) >= DEVIATION_LEAST * mean &&
	       1 - cycle->differences / cycle->pairs / variance >= correlation_least;
}

bool rate_cycle_is_found(const struct rate_cycle *cycle)
{
	return cycle->pairs >= PAIRS_LEAST && cycle->rises >= RISES_LEAST &&
	       varies(cycle, CORRELATION_LEAST + CORRELATION_ERRORS / sqrt(cycle->pairs));
}

bool rate_cycle_is_likely(const struct rate_cycle *cycle)
{
	return cycle->pairs >= PAIRS_LIKELY && varies(cycle, CORRELATION_LEAST);
}

bool rate_cycle_is_unlikely(const struct rate_cycle *cycle)
{
	return cycle->pairs >= PAIRS_LEAST && !varies(cycle, CORRELATION_LEAST);
}

double rate_cycle_deviation(const struct rate_cycle *cycle)
{
	return sqrt(variance_of(cycle)) / mean_of(cycle);
}

double rate_cycle_length_ns(const struct rate_cycle *cycle)
{
	return cycle->rises ? cycle->paired_ns / cycle->rises : INFINITY;
}

static struct rate_cycle_step sum_of(const struct rate_cycle *cycle)
{
	struct rate_cycle_step sum = {0};

	for (unsigned i = 0; i < cycle->count; i++) {
		sum.ns += cycle->steps[i].ns;
		sum.visits += cycle->steps[i].visits;
	}
	return sum;
}

static void drop_oldest(struct rate_cycle *cycle)
{
	cycle->count--;
	memmove(cycle->steps, cycle->steps + 1, cycle->count * sizeof(*cycle->steps));
}

static void add_step(struct rate_cycle *cycle, double effective_ns, double visits)
{
	struct rate_cycle_step *last = cycle->count ? &cycle->steps[cycle->count - 1] : NULL;

	if (last && last->ns < MERGE_NS) {
		last->ns += effective_ns;
		last->visits += visits;
		return;
	}
	if (cycle->count == RATE_CYCLE_STEPS)
		drop_oldest(cycle);
	cycle->steps[cycle->count++] = (struct rate_cycle_step){effective_ns, visits};
}

bool rate_cycle_follow(struct rate_cycle *cycle, double effective_ns, double visits)
{
	add_step(cycle, effective_ns, visits);
	struct rate_cycle_step sum = sum_of(cycle);
	while (cycle->count > 1 && sum.ns - cycle->steps[0].ns >= CELL_NS) {
		drop_oldest(cycle);
		sum = sum_of(cycle);
	}
	if (sum.ns < CELL_NS)
		return false;
	if (is_low(cycle, sum.visits / sum.ns))
		cycle->is_low = true;
	if (!cycle->is_low || !is_high(cycle, sum.visits / sum.ns))
		return false;
	cycle->is_low = false;
	return true;
}
