/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diff_series - what lever diff would have said about a stored series of run times.
 *
 * Usage: diff_series SECONDS RATIO [SEED] <TIMES
 *
 * TIMES are run times of one program in ns, one a line, in the order of the runs. Windows of
 * SECONDS of them, half overlapping, are compared as if every run had been one of A or of B; B's
 * times are multiplied by RATIO. A line for each window: verdict, ratio, low, high, p, pairs and
 * seconds used.
 */
#include "analyze/diff/run_pairs.h"
#include "base/memory.h"

#include <stdio.h>

struct series {
	double *items; /* seconds */
	size_t count, capacity;
};

/* The index after the runs of so many seconds from `first` on; 0: there are not so many. */
static size_t window_end(const struct series *series, size_t first, double seconds)
{
	double sum = 0;

	for (size_t i = first; i < series->count; i++)
		if ((sum += series->items[i]) >= seconds)
			return i + 1;
	return 0;
}

static void compare(const struct series *series, size_t first, double seconds, double ratio,
		    uint64_t seed)
{
	struct run_pairs_plan plan = {.pairs = 100000,
				      .seconds = seconds * 0.97,
				      .gate = RUN_PAIRS_NO_GATE,
				      .seed = seed};
	struct run_pairs *run_pairs = run_pairs_new(&plan);
	double used = 0;

	for (size_t i = first; i < series->count && !run_pairs_is_done(run_pairs); i++) {
		double factor = run_pairs_next(run_pairs) == RUN_AFTER ? ratio : 1;
		used += series->items[i];
		run_pairs_add(run_pairs, series->items[i] * factor, series->items[i]);
	}
	run_pairs_stop(run_pairs);
	struct run_pairs_result result = run_pairs_result(run_pairs);
	static const char *const verdicts[] = {"~", "slower", "faster", "none"};
	printf("%s %.5f %.5f %.5f %.4f %zu %.1f\n", verdicts[result.verdict], result.ratio,
	       result.low, result.high, result.p, result.pairs, used);
	run_pairs_free(run_pairs);
}

int main(int argc, char **argv)
{
	struct series series = {0};
	double value, seconds = argc > 1 ? atof(argv[1]) : 0, ratio = argc > 2 ? atof(argv[2]) : 0;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;

	if (!(seconds > 0) || !(ratio > 0)) {
		fputs("usage: diff_series SECONDS RATIO [SEED] <TIMES\n", stderr);
		return 2;
	}
	while (scanf("%lf", &value) == 1)
		*array_add(&series) = value / 1e9;
	for (size_t first = 0, end; (end = window_end(&series, first, seconds));
	     first = (first + end) / 2)
		compare(&series, first, seconds, ratio, seed++);
	array_free(&series);
	return 0;
}
