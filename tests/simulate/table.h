/* SPDX-License-Identifier: BSD-2-Clause */
/* table - errors of predictions, by pattern, by number of cores, and by engine. */
#pragma once

#include "experiment.h"
#include "patterns.h"

#define TABLE_CORES_MOST 8

struct table_settings {
	uint64_t first_seed;
	uint32_t programs; /* of each pattern for each number of cores */
	uint32_t rounds;
	uint32_t foreign_tasks;
	const char *pattern;           /* NULL: all */
	const struct program *program; /* this one only; NULL: of the patterns */
	bool is_virtual;               /* the machine: interrupts cost more */
	enum engine_kind engine;       /* ENGINE_NONE: both */
	struct engine_variants variants;
	uint32_t uncharged_ns;
	uint32_t fixed_period_ns; /* 0: it follows waits, as the session's does */
	uint64_t window_ns;       /* of a window, and of the time before it; 0: usual ones */
	uint32_t core_counts[TABLE_CORES_MOST];
	uint32_t core_count_count;
	bool lists_programs;
};

/* Runs all and prints the table. */
void table_print(const struct table_settings *settings);
