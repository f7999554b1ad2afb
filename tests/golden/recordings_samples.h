/* SPDX-License-Identifier: BSD-2-Clause */
/* recordings_samples - profiles as lever record writes them, equal on all machines. */
#pragma once

#include "profile/profile.h"

/*
 * server: two threads, every class, and a chain of which nothing is known.
 * server-after: the same with a faster function and a new one.
 * names:  functions, threads and files with names that a page or a format could stumble over.
 * deep:   100,000 chains of 12 to 40 functions, of four threads.
 */
extern const char *const sample_recordings[];
extern const unsigned sample_recordings_count;

/* Writes the recording of that name; 0 or a negative errno. */
int sample_recordings_write(const char *name, const char *path, struct error *error);
