/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sample_aggregator - samples as they come in, added up, named, and written to the profile.
 *
 * Adding is cheap and knows addresses only; names are looked up when something is written, and once
 * for each address.
 */
#pragma once

#include "collect/record/recorder.h"
#include "experiment/target/mapped_files.h"
#include "profile/profile.h"
#include "record/wait_classifier.h"
#include "symbolize/kernel/kallsyms.h"
#include "symbolize/symbols.h"

struct sample_aggregator;

/* Sums so far, by enum sample_class. */
struct sample_aggregator_totals {
	uint64_t samples, weight_ns;
	uint64_t by_class_ns[SAMPLE_CLASSES];
};

/* Everything is borrowed; `kernel` may be NULL. */
struct sample_aggregator *sample_aggregator_new(struct symbols *symbols,
						struct mapped_files *mapped_files,
						const struct wait_classifier *classifier,
						const struct kallsyms *kernel, uint64_t period_ns);
void sample_aggregator_free(struct sample_aggregator *aggregator);
void sample_aggregator_add(struct sample_aggregator *aggregator,
			   const struct record_sample *sample);
/* Writes what is new or has changed since the last time. */
int sample_aggregator_write(struct sample_aggregator *aggregator, struct profile *profile,
			    int64_t run_id, struct error *error);
const struct sample_aggregator_totals *sample_aggregator_totals(
	const struct sample_aggregator *aggregator);
