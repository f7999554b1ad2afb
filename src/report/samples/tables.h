/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tables - the frames and call chains of samples, each once, numbered from 0.
 *
 * Everything points into the samples and their recording, which must live as long.
 */
#pragma once

#include "analyze/samples/samples.h"

struct samples_frame {
	const struct recording_frame *code; /* NULL: a wait, at the inner end of a chain */
	enum sample_class class;            /* of a wait; else CLASS_USER or CLASS_KERNEL */
	const char *subclass;               /* of a wait, or NULL */
};

struct samples_stack {
	size_t caller; /* number + 1 of the caller's chain, always smaller; 0: outermost */
	size_t frame;
};

struct samples_tables {
	ARRAY(struct samples_frame) frames;
	ARRAY(struct samples_stack) stacks;
	ARRAY(const struct samples_entry *) entries;
	ARRAY(size_t) stack_of; /* of each entry: number + 1; 0: unknown */
};

/*
 * Of one thread, or of all if `thread` is NULL. With `waits`, a chain off CPU ends in a frame that
 * names the wait.
 */
struct samples_tables samples_tables_of(const struct samples *samples,
					const struct recording_thread *thread, bool waits);
void samples_tables_free(struct samples_tables *tables);
/* Clean: "main", or "[waiting for a lock: futex]". Free it. */
char *samples_frame_name(const struct samples_frame *frame);

/* Each thread once, most time first. Free the array. */
const struct recording_thread **samples_threads(const struct samples *samples, size_t *count);
bool samples_entry_is_of(const struct samples_entry *entry, const struct recording_thread *thread);
