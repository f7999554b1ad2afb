/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * seqlock_reader - a thread that reads under a sequence lock all the time, beside work. The loop
 * that reads has the form of a spin loop, but goes again only if somebody wrote meanwhile.
 *
 * period = measured
 */
#include "rounds.h"

#define READS 100000

static struct {
	uint32_t sequence;
	double values[4];
} shared = {.values = {1, 2, 3, 4}};

static inline double read_values(void)
{
	const volatile double *values = shared.values;
	uint32_t before;
	double quotient;

	do {
		before = __atomic_load_n(&shared.sequence, __ATOMIC_ACQUIRE);
		quotient = values[0] / values[1] / values[2] / values[3];
	} while (__atomic_load_n(&shared.sequence, __ATOMIC_ACQUIRE) != before);
	return quotient;
}

WORK_FUNCTION void read_all(uint64_t reads) /* function A */
{
	static double sums[64];

	for (uint64_t i = 0; i < reads; i++)
		sums[i % 64] += read_values();
}

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void run_reader(void)
{
	read_all((uint64_t)work_left_of(READS, 'A'));
}

static void run_compute(void)
{
	compute(work_loops(800, 'B'));
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	rounds_run(run_reader, run_compute);
	work_end();
	return 0;
}
