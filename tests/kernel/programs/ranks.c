// SPDX-License-Identifier: BSD-2-Clause
/*
 * ranks - an MPI program of two ranks, each on a core of its own, that meet after each round.
 *
 *     ranks SECONDS SOLVE PREPARE BOTH
 *
 * Steps of work for each round, in thousands: by rank 1, by rank 0, and by both in the same
 * function. Prints rounds a second.
 */
#include "lever.h"
#include "steps.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void solve(double thousands)
{
	STEPS(thousands, 1);
}

static __attribute__((noinline)) void prepare(double thousands)
{
	STEPS(thousands, 2);
}

static __attribute__((noinline)) void both(double thousands)
{
	STEPS(thousands, 3);
}

static void stay_on_core(int core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(core, &set);
	sched_setaffinity(0, sizeof(set), &set); /* fails on one core, where it is as well */
}

int main(int count, char **arguments)
{
	int rank, goes_on = 1;
	unsigned long rounds = 0;

	MPI_Init(&count, &arguments);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (count != 5)
		MPI_Abort(MPI_COMM_WORLD, 2);
	double seconds = atof(arguments[1]);
	stay_on_core(rank);
	MPI_Barrier(MPI_COMM_WORLD);
	double begin = MPI_Wtime();
	while (goes_on) {
		if (rank == 1)
			solve(atof(arguments[2]));
		else if (!rank)
			prepare(atof(arguments[3]));
		both(atof(arguments[4]));
		int own = rank || MPI_Wtime() - begin < seconds;
		MPI_Allreduce(&own, &goes_on, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
		if (!rank)
			LEVER_PROGRESS_NAMED("meeting");
		rounds++;
	}
	if (!rank)
		printf("%.1f rounds a second\n", (double)rounds / (MPI_Wtime() - begin));
	MPI_Finalize();
	return 0;
}
