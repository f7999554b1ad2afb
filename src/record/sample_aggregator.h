/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sample_aggregator - samples, added up by call chain, thread and class, and written to the
 * profile.
 *
 * Adding uses addresses only. Names are looked up when rows are written, once for each address.
 */
#pragma once

#include "collect/record/recorder.h"
#include "experiment/target/mapped_files.h"
#include "profile/profile.h"
#include "record/resources.h"
#include "record/wait_classifier.h"
#include "symbolize/kernel/kallsyms.h"
#include "symbolize/symbols.h"

struct sample_aggregator;

/* Sums so far; by enum sample_class. */
struct sample_aggregator_totals {
	uint64_t samples, weight_ns;
	uint64_t by_class_ns[SAMPLE_CLASSES];
	uint64_t spared_names; /* places in code that are told by addresses */
};

/* Borrows all; `kernel` may be NULL. */
struct sample_aggregator *sample_aggregator_new(struct symbols *symbols,
						struct mapped_files *mapped_files,
						const struct wait_classifier *classifier,
						struct resources *resources,
						const struct kallsyms *kernel, uint64_t period_ns);
void sample_aggregator_free(struct sample_aggregator *aggregator);
void sample_aggregator_add(struct sample_aggregator *aggregator,
			   const struct record_sample *sample);
/* From now on, names of code that does not run now are spared, unless its file was asked about. */
void sample_aggregator_spare_names(struct sample_aggregator *aggregator, bool is_sparing);
/* Writes rows that are new or have changed since the last call. */
int sample_aggregator_write(struct sample_aggregator *aggregator, struct profile *profile,
			    int64_t run_id, struct error *error);
/*
 * After all is written. Of names, when symbols have forgotten theirs; of everything, when that is
 * large, but for threads that had a sample lately: what comes again gets new rows.
 */
void sample_aggregator_forget_names(struct sample_aggregator *aggregator);
bool sample_aggregator_is_large(const struct sample_aggregator *aggregator);
void sample_aggregator_forget(struct sample_aggregator *aggregator);
const struct sample_aggregator_totals *sample_aggregator_totals(
	const struct sample_aggregator *aggregator);
