/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live_window - the samples of the last seconds, for a live view: kept as they came, and added up anew at
 * each look.
 */
#pragma once

#include "collect/record/recorder.h"
#include "record/sample_aggregator.h"

struct live_window;

/* What a sample_aggregator needs (sample_aggregator.h); borrowed. */
struct live_window_symbols {
	struct symbols *symbols;
	struct mapped_files *mapped_files;
	const struct wait_classifier *classifier;
	const struct kallsyms *kernel;
};

struct live_window *live_window_new(double seconds);
void live_window_free(struct live_window *window);
void live_window_add(struct live_window *window, const struct record_sample *sample);
/*
 * All of the live_window that ends now, as one run like `run`, whose id and times are not used; to be freed.
 * The way leads through a profile file in a temporary folder, which is gone afterwards.
 */
int live_window_read(struct live_window *window, const struct live_window_symbols *names,
		     const struct recording_run *run, uint64_t now_ns, struct recording **recording,
		     struct error *error);
