/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pointer_chase - loads that wait for memory, beside work in registers: a sample of a load stands
 * pointer_chase - loads that wait for memory, beside work in registers: a sample of a load stands
 * at the instruction behind it, which a compiler gives to another line here.
 * period = measured
 */
#include "rounds.h"

#define PLACES (16u << 20)
#define STEPS 8000

static uint32_t *next_place;

WORK_FUNCTION void chase(uint64_t steps)
{
	static uint32_t place;

	for (uint64_t i = 0; i < steps; i++)
		place = next_place[place]; /* target A */
}

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void run_chase(void)
{
	chase((uint64_t)work_left_of(STEPS, 'A'));
}

static void run_compute(void)
{
	compute(work_loops(500, 'B'));
}

int main(int count, char **arguments)
{
	next_place = malloc(PLACES * sizeof(*next_place));
	for (uint32_t i = 0; next_place && i < PLACES; i++)
		next_place[i] = (i * 1664525u + 1013904223u) % PLACES;
	work_begin(count, arguments);
	rounds_run(run_chase, run_compute);
	work_end();
	free(next_place);
	return 0;
}
