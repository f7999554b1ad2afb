/* SPDX-License-Identifier: BSD-2-Clause */
/* lock_names - texts about locks. The caller frees them. */
#pragma once

#include "analyze/samples/locks.h"

/* "mutex table.lock", "3 mutexes", with the process if there are several: "[100] mutex lock" */
char *samples_lock_name(const struct samples_lock *lock, bool has_processes);
/* "update (table.c:13)" */
char *samples_place_name(const struct recording_frame *place);
/* How many wakers ended enough of the waits to be shown; one of them: "update (table.c:15) 80 %" */
size_t samples_wakers_shown(const struct samples_lock *lock);
char *samples_waker_name(const struct samples_lock *lock, size_t index);
/*
 * Of the mutex or rwlock with the longest waits: the command that measures what a shorter critical
 * section would bring. NULL: its code is not known.
 */
char *samples_locks_hint(const struct samples_locks *locks);
