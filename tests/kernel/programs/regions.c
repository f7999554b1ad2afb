/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * regions - an OpenMP program: 20 parallel loops on two threads, of which the second has twice
 * the work of the first; tasks; and a critical section. It prints the sum of all work.
 */
#include <stdio.h>

static volatile unsigned long sink;

static void work(unsigned long steps)
{
	for (unsigned long i = 0; i < steps; i++)
		sink = i;
}

static void loops(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 2; i++)
			work(1000000ul * (unsigned long)(i + 1));
	}
}

static void tasks(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 6; i++) {
#pragma omp task
		work(200000);
	}
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 20; i++)
		loops();
	tasks();
#pragma omp parallel num_threads(2)
	{
#pragma omp critical
		sum++;
	}
	printf("%ld\n", sum);
	return 0;
}
