/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * classes - why a task was off CPU: its class, and a finer sub-class, by a table.
 *
 * A rule names a class and patterns (globs) on the kernel function in which the task blocked, or,
 * after `call:`, on the system call. The user's rules come first, then what the kernel says itself
 * (preempted, waiting for I/O), then the built-in rules; what none of them knows is class B.
 */
#pragma once

#include "base/error.h"
#include "profile/recording.h"

struct classes;

/*
 * With the rules of a file before the built-in ones; NULL: those alone. A line of it is
 * "CLASS[/SUBCLASS] PATTERN...", such as "B/queue mq_* call:msgrcv"; # begins a comment.
 */
int classes_new(const char *path, struct classes **result, struct error *error);
void classes_free(struct classes *classes);

struct classes_block {
	bool is_io_wait;      /* as the scheduler counts it */
	const char *function; /* of the kernel, in which it blocked; NULL: unknown */
	const char *call;     /* NULL: none, or unknown */
};

struct classes_verdict {
	enum sample_class class;
	const char *subclass; /* NULL: none. Borrowed */
};

struct classes_verdict classes_judge(const struct classes *classes,
				     const struct classes_block *block);
/* Is this a function of waiting as such, whose caller tells for what? */
bool classes_is_waiting(const char *function);
