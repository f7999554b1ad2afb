/* SPDX-License-Identifier: BSD-2-Clause */
/* samples_cost - sorts the samples by function, and adds them up. */
#include "analyze/diff/samples_cost.h"

#include <string.h>

static const struct recording_frame *frame_of(const struct samples_entry *entry)
{
	return entry->user ? entry->user : entry->kernel;
}

static bool waits(const struct samples_entry *entry)
{
	enum sample_class class = entry->stack_sample->class;
	return class != CLASS_USER && class != CLASS_KERNEL;
}

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_entries(const void *left, const void *right)
{
	const struct samples_entry *a = *(const struct samples_entry *const *)left;
	const struct samples_entry *b = *(const struct samples_entry *const *)right;
	const struct recording_frame *one = frame_of(a), *other = frame_of(b);

	if (waits(a) != waits(b))
		return waits(a) ? 1 : -1;
	if (!one || !other)
		return (one != NULL) - (other != NULL);
	int order = compare_texts(one->function, other->function);
	return order ? order : compare_texts(one->object, other->object);
}

static size_t run_number(const struct recording *recording, const struct samples_entry *entry)
{
	for (size_t i = 0; i < recording->runs.count; i++)
		if (recording->runs.items[i].id == entry->thread->run_id)
			return i;
	return 0;
}

static void add(struct samples_cost *cost, const struct recording *recording,
		const struct samples_entry *entry)
{
	const struct recording_stack_sample *sample = entry->stack_sample;

	if (!cost->heaviest || sample->weight_ns > cost->heaviest->stack_sample->weight_ns)
		cost->heaviest = entry;
	cost->samples += sample->samples;
	cost->weight_ns += (double)sample->weight_ns;
	cost->variance += sample->variance;
	cost->by_run[run_number(recording, entry)] += (double)sample->weight_ns;
}

struct samples_costs samples_costs_of(const struct samples *samples)
{
	const struct recording *recording = samples->recording;
	struct samples_costs costs = {
		.items = memory_new(samples->count + 1, sizeof(*costs.items)),
		.runs = recording->runs.count,
		.of_entry = memory_new(samples->count + 1, sizeof(size_t)),
	};
	const struct samples_entry **sorted = memory_new(samples->count + 1, sizeof(*sorted));

	for (size_t i = 0; i < samples->count; i++)
		sorted[i] = &samples->entries[i];
	if (samples->count)
		qsort(sorted, samples->count, sizeof(*sorted), compare_entries);
	for (size_t i = 0; i < samples->count; i++) {
		if (!i || compare_entries(&sorted[i - 1], &sorted[i]))
			costs.items[costs.count++] = (struct samples_cost){
				.frame = frame_of(sorted[i]),
				.is_waiting = waits(sorted[i]),
				.by_run = memory_new(costs.runs, sizeof(double)),
			};
		costs.of_entry[sorted[i] - samples->entries] = costs.count - 1;
		add(&costs.items[costs.count - 1], recording, sorted[i]);
	}
	free(sorted);
	return costs;
}

void samples_costs_release(struct samples_costs *costs)
{
	for (size_t i = 0; i < costs->count; i++) {
		free(costs->items[i].by_run);
		array_free(&costs->items[i].joined);
	}
	free(costs->items);
	free(costs->of_entry);
	*costs = (struct samples_costs){0};
}

static void add_cost(struct samples_cost *sum, const struct samples_cost *cost, size_t runs)
{
	sum->samples += cost->samples;
	sum->weight_ns += cost->weight_ns;
	sum->variance += cost->variance;
	for (size_t run = 0; run < runs; run++)
		sum->by_run[run] += cost->by_run[run];
}

void samples_cost_join(struct samples_cost *whole, const struct samples_cost *part, size_t runs)
{
	add_cost(whole, part, runs);
	*array_add(&whole->joined) = part->frame ? part->frame->function : NULL;
}

struct samples_cost samples_costs_sum(const struct samples_costs *costs, bool is_waiting)
{
	struct samples_cost sum = {.is_waiting = is_waiting,
				   .by_run = memory_new(costs->runs, sizeof(double))};

	for (size_t i = 0; i < costs->count; i++) {
		const struct samples_cost *cost = &costs->items[i];
		if (cost->is_waiting == is_waiting)
			add_cost(&sum, cost, costs->runs);
	}
	return sum;
}
