/* SPDX-License-Identifier: BSD-2-Clause */
/* call_counts - a place in code, and how often it is passed in each of some time slices. */
#pragma once

#include <stdint.h>

struct collector_code { /* one instruction; `path` may no longer lead to the file */
	const char *path;
	uint64_t offset, semaphore_offset; /* in the file; 0: no semaphore */
	int fd;
};

struct collector_calls {
	struct collector_code code;
	const char *tracepoint; /* of the category `syscalls`, in place of the code; or NULL */
	uint64_t *calls;        /* for each slice, to be written */
	int status;             /* -ERANGE: more than calls_most in a slice; counting has ended */
};

struct collector_slices {
	uint64_t slice_ns, calls_most;
	unsigned count;
};

#define COLLECTOR_CALLS_MOST 20 /* counted at once */
