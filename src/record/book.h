/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * book - samples as they come in, added up, named, and written to the profile.
 *
 * Adding is cheap and knows addresses only; names are looked up when something is written, and once
 * for each address.
 */
#pragma once

#include "collect/recorder.h"
#include "experiment/files.h"
#include "profile/profile.h"
#include "record/classes.h"
#include "symbolize/kallsyms.h"
#include "symbolize/symbols.h"

struct book;

/* Sums so far, by enum sample_class. */
struct book_sums {
	uint64_t samples, weight_ns;
	uint64_t by_class_ns[SAMPLE_CLASSES];
};

/* Everything is borrowed; `kernel` may be NULL. */
struct book *book_new(struct symbols *symbols, struct files *files, const struct classes *classes,
		      const struct kallsyms *kernel, uint64_t period_ns);
void book_free(struct book *book);
void book_add(struct book *book, const struct record_sample *sample);
/* Writes what is new or has changed since the last time. */
int book_write(struct book *book, struct profile *profile, int64_t run_id, struct error *error);
const struct book_sums *book_sums(const struct book *book);
