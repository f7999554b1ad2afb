/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wait_classifier - why a task was off CPU: a class, and a sub-class, by a table of rules.
 *
 * A rule names a class and patterns (globs) on the kernel function in which the task blocked, or,
 * after `call:`, on the system call. The user's rules come first, then the scheduler's own
 * knowledge (preempted, waiting for I/O), then the built-in rules; other waits are of class B.
 */
#pragma once

#include "base/error.h"
#include "profile/recording.h"

struct wait_classifier;

/*
 * With the rules of a file before the built-in ones; NULL: only those. A line is
 * "CLASS[/SUBCLASS] PATTERN...", such as "B/queue mq_* call:msgrcv"; # begins a comment.
 */
int wait_classifier_new(const char *path, struct wait_classifier **result, struct error *error);
void wait_classifier_free(struct wait_classifier *classifier);

struct wait_site {
	bool is_io_wait;      /* as the scheduler counts it */
	const char *function; /* of the kernel, in which it blocked; NULL: unknown */
	const char *call;     /* NULL: none, or unknown */
};

struct off_cpu_class {
	enum sample_class class;
	const char *subclass; /* NULL: none. Borrowed */
};

struct off_cpu_class wait_classifier_classify(const struct wait_classifier *classifier,
					      const struct wait_site *site);
/* A function that only waits, like schedule(): its caller is the reason. */
bool wait_classifier_is_wait_function(const char *function);
