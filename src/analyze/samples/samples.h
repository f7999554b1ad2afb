/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * samples - where the time of a recording of `lever record` went: by function, line, class and
 * thread, and as a call tree, each share with its uncertainty.
 *
 * Everything points into the recording, which must live as long.
 */
#pragma once

#include "profile/recording.h"

#define SAMPLES_ALL_CLASSES ((1u << SAMPLE_CLASSES) - 1)

/* The samples to count. Empty fields accept all. */
struct samples_filter {
	unsigned classes;     /* a bit for each of enum sample_class */
	const char *command;  /* glob on the thread's name */
	const char *function; /* glob on functions: one of the call chain must match */
	unsigned pid, tid;
};

/* One stack sample that passed the filter. Unknown frames are NULL. */
struct samples_entry {
	const struct recording_stack_sample *stack_sample;
	const struct recording_thread *thread;
	const struct recording_run *run;
	const struct recording_frame *user; /* innermost in user space */
	/* innermost with a known source line, outside of the system's code if possible */
	const struct recording_frame *site;
	const struct recording_frame *kernel; /* innermost in the kernel */
	const struct recording_frame *own;    /* innermost outside of the system's code */
};

struct samples_sum {
	uint64_t samples, weight_ns;
	double variance; /* of weight_ns */
	double share,
		half_interval; /* of the time that passed the filter; half of the 95 % interval */
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
/* The sum of one stack sample. */
struct samples_sum samples_sum_of(const struct samples *samples,
				  const struct recording_stack_sample *stack_sample);

enum samples_group {
	SAMPLES_BY_FUNCTION, /* and class, and kernel function */
	SAMPLES_BY_LINE,
	SAMPLES_BY_CLASS, /* and sub-class */
	SAMPLES_BY_CALL,  /* system call */
	SAMPLES_BY_THREAD,
	SAMPLES_BY_PROCESS,
	SAMPLES_BY_HOST,
	SAMPLES_BY_LOCK, /* see locks.h */
	SAMPLES_BY_FILE, /* waits for a file, device or peer, and other I/O */
};

/* Entries with an equal key. */
struct samples_row {
	const struct samples_entry
		*first; /* the heaviest; has what all entries of the row have in common */
	struct samples_sum sum;
	uint64_t by_class_ns[SAMPLE_CLASSES];
};

struct samples_rows {
	struct samples_row *items; /* by falling weight */
	size_t count;
};

struct samples_rows samples_group(const struct samples *samples, enum samples_group group);
void samples_rows_clear(struct samples_rows *rows);

/* A call tree: callees below callers, or inverted. */
struct samples_node {
	const struct recording_frame *frame; /* NULL: the root */
	struct samples_sum sum;
	uint64_t own_ns; /* of chains that end here */
	uint64_t by_class_ns[SAMPLE_CLASSES];
	ARRAY(struct samples_node *) children; /* by falling weight */
};

struct samples_node *samples_tree(const struct samples *samples, bool is_inverted);
void samples_tree_free(struct samples_node *root);

/*
 * The code of an entry that a programmer can change: the innermost with a line outside of the
 * system's code, else the innermost in the program's own file, else the innermost function. NULL:
 * there is none.
 */
const struct recording_frame *samples_place(const struct samples_entry *entry);
/*
 * The same of a stack that takes or releases a lock, outside of functions that by their names do
 * only that. NULL: it has only code of the system.
 */
const struct recording_frame *samples_lock_place(const struct recording *recording,
						 uint64_t stack_id);

void samples_sum_add(struct samples_sum *sum, const struct recording_stack_sample *stack_sample);
/* Sets the share and its interval, of `all`. */
void samples_sum_judge(struct samples_sum *sum, const struct samples_sum *all);

/* The frames of a stack, innermost first. The caller frees the array. */
const struct recording_frame **samples_chain(const struct recording *recording, uint64_t stack_id,
					     size_t *count);
