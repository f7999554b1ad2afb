/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * locks - waits for locks: which lock, where it is waited for, and the code that ends the waits.
 *
 * A lock of the program is a futex: an address, with the name of its variable if it has one. Locks
 * without a name (on the heap) that are waited for at the same line are one row. Locks of the
 * kernel are told apart by the function that takes them.
 */
#pragma once

#include "analyze/samples/samples.h"

/* Code that ended waits, by the line outside of the system's code. */
struct samples_waker {
	const struct recording_frame *place; /* NULL: unknown */
	const char *command;                 /* of its thread; the first */
	uint64_t weight_ns;                  /* of the waits that it ended */
};

struct samples_lock {
	const char *kind; /* "mutex", "rwlock", "condition variable" ..., "futex" if unknown */
	const char *name; /* of the variable; NULL: none */
	const struct recording_frame *place; /* where it is waited for most */
	const struct samples_entry *first;   /* the heaviest */
	unsigned pid;
	size_t count; /* locks of the row */
	struct samples_sum sum;
	ARRAY(struct samples_waker) wakers; /* by falling weight */
	uint64_t woken_ns;                  /* of all wakers */
};

struct samples_locks {
	struct samples_lock *items; /* by falling weight */
	size_t count;
	bool has_processes; /* more than one */
};

struct samples_locks samples_locks(const struct samples *samples);
/* False: it is the end of a thread, or an idle thread, whose address means nothing. */
bool samples_lock_is_object(const struct samples_lock *lock);
void samples_locks_clear(struct samples_locks *locks);
