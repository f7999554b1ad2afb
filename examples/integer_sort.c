/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * integer_sort - a parallel sort of integers by buckets, to be profiled with several processes.
 *
 *	mpirun -n 2 integer_sort [-b BUCKETS] [-k KEYS] [-t SECONDS]
 *
 * Each rank has KEYS keys. In a round it sorts them into BUCKETS buckets by their upper bits, all
 * ranks exchange buckets so that each has all keys of its range, and each counts how often every
 * key occurs, which ranks them. Counting jumps about in memory: with more buckets it stays longer
 * in one small part, and with too many the first step gets slow. One round is one unit of progress.
 * Each round's times are added up and printed, so that what Lever predicts can be compared.
 *
 * After IS of the NAS parallel benchmarks; written anew.
 */
#include <lever.h>

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEY_BITS 22
#define KEY_COUNT (1u << KEY_BITS)
#define RANKS_MOST 64

static struct {
	int rank, ranks, buckets;
	size_t keys;
	double seconds;
} setup = {.buckets = 1, .keys = 1u << 20, .seconds = 5};

static uint32_t *keys, *sorted, *received;
static int *sizes, *starts; /* of buckets */
static uint32_t *counts;    /* how often each key of this rank's range occurs */
static size_t range;        /* keys that a rank is responsible for */

static int shift_of(int buckets)
{
	int shift = KEY_BITS;

	while (buckets > 1) {
		buckets /= 2;
		shift--;
	}
	return shift;
}

static void make_keys(uint64_t seed)
{
	for (size_t i = 0; i < setup.keys; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		keys[i] = (uint32_t)(seed >> (64 - KEY_BITS));
	}
}

/* Keys of one bucket beside each other, buckets in order. */
static __attribute__((noinline)) void fill_buckets(int shift)
{
	memset(sizes, 0, (size_t)setup.buckets * sizeof(*sizes));
	for (size_t i = 0; i < setup.keys; i++)
		sizes[keys[i] >> shift]++;
	for (int i = 0, at = 0; i < setup.buckets; at += sizes[i++])
		starts[i] = at;
	for (size_t i = 0; i < setup.keys; i++)
		sorted[starts[keys[i] >> shift]++] = keys[i];
}

/* Each rank gets the keys of its range, which is a whole number of buckets. */
static __attribute__((noinline)) size_t exchange(void)
{
	int own = setup.buckets / setup.ranks, total = 0;
	int sent[RANKS_MOST] = {0}, sent_at[RANKS_MOST], received_sizes[RANKS_MOST];
	int received_at[RANKS_MOST];

	for (int rank = 0, at = 0; rank < setup.ranks; rank++) {
		sent_at[rank] = at;
		for (int i = 0; i < own; i++)
			sent[rank] += sizes[rank * own + i];
		at += sent[rank];
	}
	MPI_Alltoall(sent, 1, MPI_INT, received_sizes, 1, MPI_INT, MPI_COMM_WORLD);
	for (int rank = 0; rank < setup.ranks; rank++) {
		received_at[rank] = total;
		total += received_sizes[rank];
	}
	MPI_Alltoallv(sorted, sent, sent_at, MPI_UINT32_T, received, received_sizes, received_at,
		      MPI_UINT32_T, MPI_COMM_WORLD);
	return (size_t)total;
}

static __attribute__((noinline)) void count_keys(size_t count)
{
	uint32_t least = (uint32_t)((size_t)setup.rank * range);

	memset(counts, 0, range * sizeof(*counts));
	for (size_t i = 0; i < count; i++)
		counts[received[i] - least]++;
}

static void read_options(int count, char **arguments)
{
	int option;

	while ((option = getopt(count, arguments, "b:k:t:")) != -1) {
		if (option == 'b')
			setup.buckets = atoi(optarg);
		else if (option == 'k')
			setup.keys = (size_t)atol(optarg);
		else if (option == 't')
			setup.seconds = atof(optarg);
		else
			exit(2);
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &setup.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &setup.ranks);
	if (setup.buckets < setup.ranks)
		setup.buckets = setup.ranks;
	if (setup.ranks > RANKS_MOST || setup.buckets & (setup.buckets - 1) ||
	    setup.ranks & (setup.ranks - 1) || setup.buckets > (int)KEY_COUNT) {
		fputs("integer_sort: ranks and buckets must be powers of two\n", stderr);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
}

static void make_room(void)
{
	size_t ranks = (size_t)setup.ranks, buckets = (size_t)setup.buckets;

	range = KEY_COUNT / ranks;
	keys = malloc(setup.keys * sizeof(*keys));
	sorted = malloc(setup.keys * sizeof(*sorted));
	received = malloc(setup.keys * ranks * sizeof(*received));
	counts = malloc(range * sizeof(*counts));
	sizes = malloc(buckets * sizeof(*sizes));
	starts = malloc(buckets * sizeof(*starts));
	if (!keys || !sorted || !received || !counts || !sizes || !starts)
		MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Sums over all rounds, in seconds. */
struct times {
	double filling, exchanging, counting;
};

static void sort_once(int shift, struct times *times)
{
	double began = MPI_Wtime();
	fill_buckets(shift);
	double filled = MPI_Wtime();
	size_t count = exchange();
	double exchanged = MPI_Wtime();
	count_keys(count);
	times->filling += filled - began;
	times->exchanging += exchanged - filled;
	times->counting += MPI_Wtime() - exchanged;
}

int main(int count, char **arguments)
{
	struct times times = {0};
	long rounds = 0;
	int goes_on = 1;

	MPI_Init(&count, &arguments);
	read_options(count, arguments);
	make_room();
	make_keys((uint64_t)setup.rank + 1);
	int shift = shift_of(setup.buckets);
	MPI_Barrier(MPI_COMM_WORLD);
	double began = MPI_Wtime();
	while (goes_on) {
		sort_once(shift, &times);
		rounds++;
		if (!setup.rank) {
			LEVER_PROGRESS_NAMED("sorted");
			goes_on = MPI_Wtime() - began < setup.seconds;
		}
		MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
	double each = 1e3 / (double)rounds;
	if (!setup.rank)
		printf("buckets=%d round_ms=%.3f filling_ms=%.3f exchanging_ms=%.3f "
		       "counting_ms=%.3f\n",
		       setup.buckets, (MPI_Wtime() - began) * each, times.filling * each,
		       times.exchanging * each, times.counting * each);
	MPI_Finalize();
	return 0;
}
