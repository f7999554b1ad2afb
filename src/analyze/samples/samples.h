/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * samples - where the time of a recording of `lever record` went: by function, line, class, thread,
 * and as a call tree, with the uncertainty of each share.
 *
 * Everything points into the recording, which must live as long.
 */
#pragma once

#include "profile/recording.h"

#define SAMPLES_ALL_CLASSES ((1u << SAMPLE_CLASSES) - 1)

/* Which samples count. Empty fields let everything pass. */
struct samples_filter {
	unsigned classes;     /* a bit for each of enum sample_class */
	const char *command;  /* glob on the thread's name */
	const char *function; /* glob on the functions of the chain: one of them must fit */
	unsigned pid, tid;
};

/* One stack_sample that passed. The frames are NULL where unknown. */
struct samples_entry {
	const struct recording_stack_sample *stack_sample;
	const struct recording_thread *thread;
	const struct recording_frame *user; /* innermost in user space */
	const struct recording_frame *
		site; /* innermost whose source line is known, outside the system's code if there is one */
	const struct recording_frame *kernel; /* innermost in the kernel */
};

struct samples_sum {
	uint64_t samples, weight_ns;
	double variance; /* of weight_ns */
	double share,
		half_interval; /* of the time that passed the filter; half_interval of its 95 % interval */
};

struct samples {
	const struct recording *recording;
	struct samples_filter filter;
	struct samples_entry *entries;
	size_t count;
	struct samples_sum all;
	struct samples_sum classes[SAMPLE_CLASSES];
	uint64_t recorded_ns; /* before the filter */
};

struct samples *samples_new(const struct recording *recording, const struct samples_filter *filter);
void samples_free(struct samples *samples);
/* What one stack_sample comes to. */
struct samples_sum samples_sum_of(const struct samples *samples,
				  const struct recording_stack_sample *stack_sample);

enum samples_group {
	SAMPLES_BY_FUNCTION, /* and class, and function of the kernel */
	SAMPLES_BY_LINE,
	SAMPLES_BY_CLASS, /* with sub-class */
	SAMPLES_BY_CALL,  /* system call */
	SAMPLES_BY_THREAD,
	SAMPLES_BY_PROCESS,
	SAMPLES_BY_LOCK, /* waits of class L alone: by futex, or by function of the kernel */
};

/* Entries that belong together. */
struct samples_row {
	const struct samples_entry
		*first; /* the heaviest; what they have in common can be read off it */
	struct samples_sum sum;
	uint64_t by_class_ns[SAMPLE_CLASSES];
};

struct samples_rows {
	struct samples_row *items; /* by falling weight */
	size_t count;
};

struct samples_rows samples_group(const struct samples *samples, enum samples_group group);
void samples_rows_clear(struct samples_rows *rows);

/* A call tree: from the outermost function to what it calls, or from the innermost to its callers. */
struct samples_node {
	const struct recording_frame *frame; /* NULL: the root */
	struct samples_sum sum;
	uint64_t own_ns; /* of chains that end here */
	uint64_t by_class_ns[SAMPLE_CLASSES];
	ARRAY(struct samples_node *) children; /* by falling weight */
};

struct samples_node *samples_tree(const struct samples *samples, bool is_inverted);
void samples_tree_free(struct samples_node *root);

/* The frames of a stack, innermost first; to be freed. */
const struct recording_frame **samples_chain(const struct recording *recording, uint64_t stack_id,
					     size_t *count);
