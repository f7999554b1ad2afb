/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random - a seeded random generator: the same seed gives the same numbers on every machine.
 *
 * xoshiro256** 1.0 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM
 * TOMS 47(4), 2021), its state filled by SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). For
 * schedules and simulations, not for secrets.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t state[4]; /* not all zero */
};

struct random random_seeded(uint64_t seed);
uint64_t random_next(struct random *generator);

/* Uniform in [0, 1), a multiple of 2^-53. */
double random_uniform(struct random *generator);

/* Uniform in 0 ... bound - 1, each exactly as likely; bound > 0. */
uint64_t random_below(struct random *generator, uint64_t bound);

/* Puts `count` items of `size` bytes in random order, each order as likely. */
void random_shuffle(struct random *generator, void *items, size_t count, size_t size);
