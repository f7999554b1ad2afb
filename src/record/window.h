/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * window - the samples of the last seconds, for a live view: kept as they came, and added up anew at
 * each look.
 */
#pragma once

#include "collect/recorder.h"
#include "record/book.h"

struct window;

/* What a book needs (book.h); borrowed. */
struct window_names {
	struct symbols *symbols;
	struct files *files;
	const struct classes *classes;
	const struct kallsyms *kernel;
};

struct window *window_new(double seconds);
void window_free(struct window *window);
void window_add(struct window *window, const struct record_sample *sample);
/*
 * All of the window that ends now, as one run like `run`, whose id and times are not used; to be freed.
 * The way leads through a profile file in a temporary folder, which is gone afterwards.
 */
int window_read(struct window *window, const struct window_names *names,
		const struct recording_run *run, uint64_t now_ns, struct recording **recording,
		struct error *error);
