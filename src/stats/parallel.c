/* SPDX-License-Identifier: BSD-2-Clause */
/* parallel - the formula, its corrections, and the reasons of idle cores. */
#include "stats/parallel.h"

#define GROWTH_STEPS 60

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

double parallel_level_on(double wall_ns, unsigned threads, unsigned from_cores, unsigned to_cores)
{
	/* First case, j <= min(k1, k2): each thread has its core here and there; also j = 0. */
	if (threads <= least(from_cores, to_cores))
		return wall_ns;
	/* Second case, k1 <= k2, k1 <= j: k1 cores were shared, min(j, k2) will be used. */
	if (from_cores <= to_cores)
		return wall_ns * from_cores / least(threads, to_cores);
	/* Third case, k2 <= k1, k2 <= j: min(j, k1) cores were used, k2 must do. */
	return wall_ns * least(threads, from_cores) / to_cores;
}

double parallel_own_ns(const struct parallel_level *level, unsigned cores)
{
	unsigned wanted = least(level->threads, cores);
	double taken = level->displaced_ns + level->stolen_ns + level->counting_ns;
	double own = wanted ? level->wall_ns - taken / wanted : level->wall_ns;

	return own > 0 ? own : 0;
}

double parallel_cpu_ns(const struct parallel_level *level)
{
	double used = level->running_ns - level->stolen_ns - level->counting_ns;

	return used > 0 ? used : 0;
}

double parallel_core_ns(const struct parallel_level *level, unsigned cores)
{
	return parallel_own_ns(level, cores) * least(level->threads, cores);
}

double parallel_predict(const struct parallel_level *levels, size_t count, unsigned from_cores,
			unsigned to_cores)
{
	return parallel_predict_grown(levels, count, from_cores, to_cores, 0);
}

double parallel_predict_raw(const struct parallel_level *levels, size_t count, unsigned from_cores,
			    unsigned to_cores)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += parallel_level_on(levels[i].wall_ns, levels[i].threads, from_cores,
					 to_cores);
	return sum;
}

double parallel_slowdown(double growth, unsigned running)
{
	/* A decrease is an effect of the machine: it does not continue with further threads. */
	double others = running > 1 ? running - 1 : 0;
	double factor = 1 + growth * (growth < 0 && others > 1 ? 1 : others);

	return factor > 0.05 ? factor : 0.05;
}

static double slowdown(double growth, unsigned threads, unsigned cores)
{
	return parallel_slowdown(growth, least(threads, cores));
}

double parallel_predict_grown(const struct parallel_level *levels, size_t count,
			      unsigned from_cores, unsigned to_cores, double growth)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		unsigned threads = levels[i].threads;
		double own = parallel_own_ns(&levels[i], from_cores);
		sum += parallel_level_on(own, threads, from_cores, to_cores) *
		       slowdown(growth, threads, to_cores) / slowdown(growth, threads, from_cores);
	}
	return sum;
}

/* Time on cores[1], given taken_ns on cores[0] and this growth. */
static double taken_with(const struct parallel_level *levels, const double *taken_ns, size_t count,
			 const unsigned *cores, double growth)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += taken_ns[i] * slowdown(growth, levels[i].threads, cores[1]) /
		       slowdown(growth, levels[i].threads, cores[0]);
	return sum;
}

double parallel_growth(const struct parallel_level *levels, const double *taken_ns, size_t count,
		       unsigned from_cores, double all_ns, unsigned to_cores)
{
	double low = PARALLEL_GROWTH_LEAST, high = PARALLEL_GROWTH_MOST, parallel = 0, all = 0;
	/* The time on `to_cores` rises with growth on more cores, and falls on fewer. */
	double sign = to_cores > from_cores ? 1 : -1;
	const unsigned cores[] = {from_cores, to_cores};

	for (size_t i = 0; i < count; i++) {
		all += taken_ns[i];
		if (least(levels[i].threads, to_cores) != least(levels[i].threads, from_cores))
			parallel += taken_ns[i];
	}
	/* With a small parallel part, noise of the whole would be taken for growth. */
	if (parallel <= 0.05 * all)
		return 0;
	for (int i = 0; i < GROWTH_STEPS; i++) {
		double middle = (low + high) / 2;
		double gap = taken_with(levels, taken_ns, count, cores, middle) - all_ns;
		if (sign * gap < 0)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* Takes from `idle` what `threads` could have used; returns it. */
static double take_part(double *idle, double threads)
{
	double part = threads < *idle ? threads : *idle;

	*idle -= part;
	return part;
}

/* Adds a level with idle cores to the reasons, in proportion to its mean waits. */
static void add_losses(struct parallel_losses *losses, const struct parallel_level *level,
		       double wall_ns, unsigned cores)
{
	double idle = cores - level->threads, blocked = 0;
	double *by = losses->by_limit_ns;
	const double *waiting = level->waiting_ns;
	double span = level->wall_ns;

	by[PARALLEL_LIMIT_LOCKS] += wall_ns * take_part(&idle, waiting[PARALLEL_LOCK] / span);
	by[PARALLEL_LIMIT_IO] += wall_ns * take_part(&idle, waiting[PARALLEL_IO] / span);
	by[PARALLEL_LIMIT_TIMER] += wall_ns * take_part(&idle, waiting[PARALLEL_TIMER] / span);
	if (!level->threads) {
		by[PARALLEL_LIMIT_EXTERNAL] += wall_ns * idle;
		return;
	}
	if (level->threads == 1) {
		by[PARALLEL_LIMIT_SERIAL] += wall_ns * idle;
		return;
	}
	blocked = (waiting[PARALLEL_CONDITION] + waiting[PARALLEL_OTHER]) / span;
	by[PARALLEL_LIMIT_IMBALANCE] += wall_ns * take_part(&idle, blocked);
	by[PARALLEL_LIMIT_THREADS] += wall_ns * idle;
}

struct parallel_losses parallel_losses(const struct parallel_level *levels, size_t count,
				       unsigned from_cores, unsigned to_cores)
{
	struct parallel_losses losses = {0};

	for (size_t i = 0; i < count; i++) {
		const struct parallel_level *level = &levels[i];
		if (level->wall_ns <= 0)
			continue;
		double wall = parallel_level_on(parallel_own_ns(level, from_cores), level->threads,
						from_cores, to_cores);
		losses.core_ns += wall * to_cores;
		losses.used_ns += wall * least(level->threads, to_cores);
		if (level->threads < to_cores)
			add_losses(&losses, level, wall, to_cores);
	}
	losses.all_ns = losses.core_ns - losses.used_ns;
	return losses;
}

double parallel_mean(const struct parallel_level *levels, size_t count)
{
	double threads = 0, wall = 0;

	for (size_t i = 0; i < count; i++) {
		threads += levels[i].threads * levels[i].wall_ns;
		wall += levels[i].wall_ns;
	}
	return wall > 0 ? threads / wall : 0;
}
