/* SPDX-License-Identifier: BSD-2-Clause */
/* regions - groups the spans of a name by number or by overlap. */
#include "analyze/timeline/regions.h"

#define BUSY_LEAST 0.2    /* of the spans' time, else they are waits */
#define ORDERLY_SHARE 0.8 /* of the rounds must begin after the one before */

struct member {
	uint64_t start_ns, end_ns, busy_ns;
	unsigned thread;
};

struct members {
	struct member *items; /* by thread, then by time */
	size_t count, capacity;
	bool is_too_many;
	double busy_ns, all_ns;
};

struct regions {
	struct members *by_name;
	size_t count;
	const struct timeline *timeline;
};

/* Sums over the instances of a region. */
struct total {
	uint64_t instances, threads_most;
	double mean_ns, max_ns, wall_ns, worst;
};

struct regions *regions_new(const struct timeline *timeline)
{
	struct regions *regions = memory_new(1, sizeof(*regions));

	regions->count = timeline->name_count + 1;
	regions->by_name = memory_new(regions->count, sizeof(*regions->by_name));
	regions->timeline = timeline;
	return regions;
}

void regions_free(struct regions *regions)
{
	for (size_t i = 0; i < regions->count; i++)
		array_free(&regions->by_name[i]);
	free(regions->by_name);
	free(regions);
}

void regions_add(struct regions *regions, size_t thread, const struct timeline_span *span)
{
	struct members *members = &regions->by_name[span->name_id];

	if (members->count == REGION_SPANS_MOST) {
		members->is_too_many = true;
		array_free(members);
	}
	if (members->is_too_many || span->is_cut || regions->timeline->is_wait[span->name_id])
		return;
	uint64_t busy_ns = regions->timeline->has_scheduler ? span->class_ns[TIMELINE_RUNNING] :
							      span->end_ns - span->start_ns;
	busy_ns -= span->spun_ns < busy_ns ? span->spun_ns : busy_ns;
	members->busy_ns += (double)busy_ns;
	members->all_ns += (double)(span->end_ns - span->start_ns);
	*array_add(members) = (struct member){.start_ns = span->start_ns,
					      .end_ns = span->end_ns,
					      .busy_ns = busy_ns,
					      .thread = (unsigned)thread};
}

/* Adds an instance: `count` members, each of another thread. */
static void add_round(struct total *total, const struct member *const *round, size_t count)
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

/* The number of spans per thread, or 0 if threads differ; and the number of threads. */
static size_t rounds_of(const struct members *members, size_t *threads)
{
	size_t rounds = 0, run = 0;

	*threads = 0;
	for (size_t i = 0; i < members->count; i++) {
		run++;
		if (i + 1 < members->count &&
		    members->items[i + 1].thread == members->items[i].thread)
			continue;
		if (rounds && run != rounds)
			return 0;
		rounds = run;
		run = 0;
		++*threads;
	}
	return rounds;
}

static bool by_rounds(const struct members *members, struct total *total)
{
	size_t threads, rounds = rounds_of(members, &threads), orderly = 0;

	if (threads < 2 || rounds < 2)
		return false;
	const struct member **round = memory_new(threads, sizeof(*round));
	double before = 0; /* mean end of the round before */
	for (size_t i = 0; i < rounds; i++) {
		double start = 1e300, end = 0;
		for (size_t j = 0; j < threads; j++) {
			round[j] = &members->items[j * rounds + i];
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
	const struct member *a = *(const struct member *const *)left;
	const struct member *b = *(const struct member *const *)right;
	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static bool has_thread_twice(const struct member *const *round, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			if (round[i]->thread == round[j]->thread)
				return true;
	return false;
}

#define ROUND_MOST 4096

/* False if a thread is twice in one group, or if few groups have more than one member. */
static bool by_overlap(const struct members *members, struct total *total)
{
	const struct member **sorted = memory_new(members->count, sizeof(*sorted));
	size_t alone = 0, begin = 0;
	uint64_t end = 0;
	bool fits = true;

	for (size_t i = 0; i < members->count; i++)
		sorted[i] = &members->items[i];
	qsort(sorted, members->count, sizeof(*sorted), by_start);
	for (size_t i = 0; i <= members->count && fits; i++) {
		if (i < members->count && (i == begin || sorted[i]->start_ns < end)) {
			end = i == begin || sorted[i]->end_ns > end ? sorted[i]->end_ns : end;
			continue;
		}
		size_t count = i - begin;
		fits = count <= ROUND_MOST && !has_thread_twice(sorted + begin, count);
		if (count > 1)
			add_round(total, sorted + begin, count);
		alone += count == 1;
		begin = i;
		end = i < members->count ? sorted[i]->end_ns : 0;
	}
	free(sorted);
	return fits && total->instances > alone;
}

static bool find(const struct members *members, struct total *total)
{
	if (members->is_too_many || members->count < 2 ||
	    members->busy_ns < BUSY_LEAST * members->all_ns)
		return false;
	if (by_rounds(members, total))
		return true;
	*total = (struct total){0};
	return by_overlap(members, total);
}

static int by_loss(const void *left, const void *right)
{
	const struct region *a = left, *b = right;
	double a_ns = a->max_ns - a->mean_ns, b_ns = b->max_ns - b->mean_ns;
	return a_ns > b_ns ? -1 : a_ns < b_ns;
}

uint64_t regions_find(const struct regions *regions, struct region_list *found)
{
	uint64_t left_out = 0;

	for (size_t name_id = 0; name_id < regions->count; name_id++) {
		struct total total = {0};
		left_out += regions->by_name[name_id].is_too_many;
		if (!find(&regions->by_name[name_id], &total))
			continue;
		*array_add(found) = (struct region){
			.name_id = (unsigned)name_id,
			.threads = (unsigned)total.threads_most,
			.instances = total.instances,
			.mean_ns = total.mean_ns,
			.max_ns = total.max_ns,
			.imbalance = total.mean_ns > 0 ? total.max_ns / total.mean_ns - 1 : 0,
			.worst = total.worst,
			.wall_ns = total.wall_ns,
		};
	}
	if (found->count)
		qsort(found->items, found->count, sizeof(*found->items), by_loss);
	return left_out;
}
