/* SPDX-License-Identifier: BSD-2-Clause */
/* record - the verb of `lever record`: samples on and off CPU. */
#pragma once

#include "driver/driver.h"
#include "profile/recording.h"

#include <stdint.h>

struct cpu_budget; /* cpu_budget.h */

enum record_chain { RECORD_CHAIN_DWARF, RECORD_CHAIN_FP, RECORD_CHAIN_NONE };

/* Where the recording stands, for a line on the terminal. */
struct record_status {
	double elapsed_seconds, left_seconds; /* left: < 0 if unknown */
	uint64_t samples;
	double shares[SAMPLE_CLASSES]; /* of the time sampled so far */
};

struct record_options {
	uint64_t period_ns;
	enum record_chain chain;
	const char *class_rules;   /* a file of further rules; NULL: none */
	struct cpu_budget *budget; /* NULL: names of new code may cost any time */
	double live_seconds;       /* the length of a live view; 0: there is none */
	void *context;
	void (*notify)(void *context, const struct record_status *status);
	/* Every two seconds of a live view: the last ones, waits that go on included. */
	void (*refresh)(void *context, const struct recording *recording);
};

/* See driver_run. */
void record_run(const struct record_options *options, const struct driver_options *driver,
		struct driver_result *result, struct error *error);
