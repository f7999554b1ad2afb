/* SPDX-License-Identifier: BSD-2-Clause */
/* patterns - simulated programs of well-known shapes, with random lengths, and targets. */
#pragma once

#include "program.h"

#include "stats/random.h"

struct pattern {
	const char *name;
	void (*build)(struct program *program, struct random *random, uint32_t cores);
};

extern const struct pattern patterns[];
extern const uint32_t pattern_count;

/* The program of this seed, for a machine with so many cores. */
void pattern_program(const struct pattern *pattern, uint64_t seed, uint32_t cores,
		     struct program *program);
/* Adds tasks of another program, each of which takes a fifth of a core. */
void pattern_add_foreign(struct program *program, uint32_t tasks);
const struct pattern *pattern_find(const char *name);
