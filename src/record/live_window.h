/* SPDX-License-Identifier: BSD-2-Clause */
/* live_window - the samples of the last seconds, added up anew for each live report. */
#pragma once

#include "collect/record/recorder.h"
#include "record/sample_aggregator.h"

struct live_window;

/* The arguments of sample_aggregator_new; borrowed. */
struct live_window_symbols {
	struct symbols *symbols;
	struct mapped_files *mapped_files;
	const struct wait_classifier *classifier;
	struct resources *resources;
	const struct kallsyms *kernel;
};

struct live_window *live_window_new(double seconds);
void live_window_free(struct live_window *window);
void live_window_add(struct live_window *window, const struct record_sample *sample);
/*
 * The window that ends now, as one run like `run`, whose id and times are not used; to be freed. It
 * is written to a profile file in a temporary folder and read from there.
 */
int live_window_read(struct live_window *window, const struct live_window_symbols *names,
		     const struct recording_run *run, uint64_t now_ns, struct recording **recording,
		     struct error *error);
