/* SPDX-License-Identifier: BSD-2-Clause */
/* regions - rounds by number, or groups by overlap. */
#include "analyze/regions.h"

#define PIECES_MOST 1000000 /* of one name: beyond, it is hardly a region */
#define BUSY_LEAST 0.2      /* of the spans' time: others are waiting, no work */
#define ORDERLY_SHARE 0.8   /* of the rounds: each begins when the one before is over */

struct piece {
	uint64_t start_ns, end_ns, busy_ns;
	unsigned thread;
};

struct pieces {
	struct piece *items; /* by thread, then by time */
	size_t count, capacity;
	bool is_too_many;
	double busy_ns, all_ns;
};

struct regions {
	struct pieces *words;
	size_t count;
	const struct timeline *timeline;
};

/* What the instances of a region come to. */
struct total {
	uint64_t instances, threads_most;
	double mean_ns, max_ns, wall_ns, worst;
};

struct regions *regions_new(const struct timeline *timeline)
{
	struct regions *regions = memory_new(1, sizeof(*regions));

	regions->count = timeline->word_count + 1;
	regions->words = memory_new(regions->count, sizeof(*regions->words));
	regions->timeline = timeline;
	return regions;
}

void regions_free(struct regions *regions)
{
	for (size_t i = 0; i < regions->count; i++)
		array_free(&regions->words[i]);
	free(regions->words);
	free(regions);
}

void regions_add(struct regions *regions, size_t thread, const struct timeline_span *span)
{
	struct pieces *pieces = &regions->words[span->word];

	if (pieces->count == PIECES_MOST) {
		pieces->is_too_many = true;
		array_free(pieces);
	}
	if (pieces->is_too_many || span->is_cut || regions->timeline->is_wait[span->word])
		return;
	uint64_t busy_ns = regions->timeline->has_scheduler ? span->class_ns[TIMELINE_RUNNING] :
							      span->end_ns - span->start_ns;
	busy_ns -= span->spun_ns < busy_ns ? span->spun_ns : busy_ns;
	pieces->busy_ns += (double)busy_ns;
	pieces->all_ns += (double)(span->end_ns - span->start_ns);
	*array_add(pieces) = (struct piece){.start_ns = span->start_ns,
					    .end_ns = span->end_ns,
					    .busy_ns = busy_ns,
					    .thread = (unsigned)thread};
}

/* One round: `count` pieces, each of another thread. */
static void add_round(struct total *total, const struct piece *const *round, size_t count)
{
	double sum = 0, max = 0;
	uint64_t start = UINT64_MAX, end = 0;

	for (size_t i = 0; i < count; i++) {
		double busy = (double)round[i]->busy_ns;
		sum += busy;
		max = busy > max ? busy : max;
		start = round[i]->start_ns < start ? round[i]->start_ns : start;
		end = round[i]->end_ns > end ? round[i]->end_ns : end;
	}
	double mean = sum / (double)count;
	total->instances++;
	total->mean_ns += mean;
	total->max_ns += max;
	total->wall_ns += (double)(end - start);
	if (count > total->threads_most)
		total->threads_most = count;
	if (mean > 0 && max / mean - 1 > total->worst)
		total->worst = max / mean - 1;
}

/* ---- the same threads, round after round ---- */

/* Number of spans that every thread has, or 0 if they differ; and of threads. */
static size_t rounds_of(const struct pieces *pieces, size_t *threads)
{
	size_t rounds = 0, run = 0;

	*threads = 0;
	for (size_t i = 0; i < pieces->count; i++) {
		run++;
		if (i + 1 < pieces->count && pieces->items[i + 1].thread == pieces->items[i].thread)
			continue;
		if (rounds && run != rounds)
			return 0;
		rounds = run;
		run = 0;
		++*threads;
	}
	return rounds;
}

static bool by_rounds(const struct pieces *pieces, struct total *total)
{
	size_t threads, rounds = rounds_of(pieces, &threads), orderly = 0;

	if (threads < 2 || rounds < 2)
		return false;
	const struct piece **round = memory_new(threads, sizeof(*round));
	double before = 0; /* when threads ended the round before, on average */
	for (size_t i = 0; i < rounds; i++) {
		double start = 1e300, end = 0;
		for (size_t j = 0; j < threads; j++) {
			round[j] = &pieces->items[j * rounds + i];
			start = (double)round[j]->start_ns < start ? (double)round[j]->start_ns :
								     start;
			end += (double)round[j]->end_ns / (double)threads;
		}
		orderly += start >= before;
		before = end;
		add_round(total, round, threads);
	}
	free(round);
	return (double)orderly >= ORDERLY_SHARE * (double)rounds;
}

/* ---- threads that come and go ---- */

static int by_start(const void *left, const void *right)
{
	const struct piece *a = *(const struct piece *const *)left;
	const struct piece *b = *(const struct piece *const *)right;
	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static bool has_thread_twice(const struct piece *const *round, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			if (round[i]->thread == round[j]->thread)
				return true;
	return false;
}

#define ROUND_MOST 4096

/* False if a thread has two in one group, or if hardly any group has more than one. */
static bool by_overlap(const struct pieces *pieces, struct total *total)
{
	const struct piece **sorted = memory_new(pieces->count, sizeof(*sorted));
	size_t alone = 0, begin = 0;
	uint64_t end = 0;
	bool fits = true;

	for (size_t i = 0; i < pieces->count; i++)
		sorted[i] = &pieces->items[i];
	qsort(sorted, pieces->count, sizeof(*sorted), by_start);
	for (size_t i = 0; i <= pieces->count && fits; i++) {
		if (i < pieces->count && (i == begin || sorted[i]->start_ns < end)) {
			end = i == begin || sorted[i]->end_ns > end ? sorted[i]->end_ns : end;
			continue;
		}
		size_t count = i - begin;
		fits = count <= ROUND_MOST && !has_thread_twice(sorted + begin, count);
		if (count > 1)
			add_round(total, sorted + begin, count);
		alone += count == 1;
		begin = i;
		end = i < pieces->count ? sorted[i]->end_ns : 0;
	}
	free(sorted);
	return fits && total->instances > alone;
}

static bool find(const struct pieces *pieces, struct total *total)
{
	if (pieces->is_too_many || pieces->count < 2 ||
	    pieces->busy_ns < BUSY_LEAST * pieces->all_ns)
		return false;
	if (by_rounds(pieces, total))
		return true;
	*total = (struct total){0};
	return by_overlap(pieces, total);
}

static int by_loss(const void *left, const void *right)
{
	const struct spans_region *a = left, *b = right;
	double a_ns = a->max_ns - a->mean_ns, b_ns = b->max_ns - b->mean_ns;
	return a_ns > b_ns ? -1 : a_ns < b_ns;
}

void regions_find(const struct regions *regions, struct spans *spans)
{
	for (size_t word = 0; word < regions->count; word++) {
		struct total total = {0};
		if (!find(&regions->words[word], &total))
			continue;
		*array_add(&spans->regions) = (struct spans_region){
			.word = (unsigned)word,
			.threads = (unsigned)total.threads_most,
			.instances = total.instances,
			.mean_ns = total.mean_ns,
			.max_ns = total.max_ns,
			.imbalance = total.mean_ns > 0 ? total.max_ns / total.mean_ns - 1 : 0,
			.worst = total.worst,
			.wall_ns = total.wall_ns,
		};
	}
	if (spans->regions.count)
		qsort(spans->regions.items, spans->regions.count, sizeof(*spans->regions.items),
		      by_loss);
}
