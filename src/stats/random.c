/* SPDX-License-Identifier: BSD-2-Clause */
/* random - xoshiro256**, and distributions drawn from it. */
#include "stats/random.h"

#include <assert.h>

__extension__ typedef unsigned __int128 wide;

static uint64_t rotate_left(uint64_t value, unsigned bits)
{
	return value << bits | value >> (64 - bits);
}

static uint64_t splitmix_next(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15u;
	uint64_t mixed = *state;
	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
	return mixed ^ mixed >> 31;
}

struct random random_seeded(uint64_t seed)
{
	struct random generator;
	for (size_t i = 0; i < 4; i++)
		generator.state[i] = splitmix_next(&seed);
	return generator;
}

uint64_t random_next(struct random *generator)
{
	uint64_t *state = generator->state;
	uint64_t result = rotate_left(state[1] * 5, 7) * 9;
	uint64_t shifted = state[1] << 17;

	state[2] ^= state[0];
	state[3] ^= state[1];
	state[1] ^= state[2];
	state[0] ^= state[3];
	state[2] ^= shifted;
	state[3] = rotate_left(state[3], 45);
	return result;
}

double random_uniform(struct random *generator)
{
	return (double)(random_next(generator) >> 11) * 0x1p-53;
}

/*
 * The upper half of draw * bound is the answer. 2^64 is no multiple of most bounds; draws whose
 * lower half is below 2^64 mod bound would make some answers likelier, and are drawn again (Lemire,
 * "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019).
 */
uint64_t random_below(struct random *generator, uint64_t bound)
{
	assert(bound > 0);
	uint64_t surplus = -bound % bound;
	wide product;

	do {
		product = (wide)random_next(generator) * bound;
	} while ((uint64_t)product < surplus);
	return (uint64_t)(product >> 64);
}

static void swap_bytes(unsigned char *left, unsigned char *right, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char kept = left[i];
		left[i] = right[i];
		right[i] = kept;
	}
}

/* Fisher and Yates, from the end. */
void random_shuffle(struct random *generator, void *items, size_t count, size_t size)
{
	unsigned char *bytes = items;

	for (size_t last = count; last > 1; last--) {
		size_t chosen = random_below(generator, last);
		if (chosen != last - 1)
			swap_bytes(bytes + (last - 1) * size, bytes + chosen * size, size);
	}
}
