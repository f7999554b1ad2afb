/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * path - what the end of the program waited for: its critical path over threads and hosts.
 *
 * It is followed back from the last moment at which a thread of the first host ran. A wait leads to
 * the thread that ended it. A wait that an interrupt ended, or that was in a receive, leads to the
 * sender of the message that the thread received next.
 */
#pragma once

#include "analyze/timeline/timeline.h"

struct path_row {
	size_t thread;                       /* index */
	uint64_t class_ns[TIMELINE_CLASSES]; /* waits: those that no thread and no message ended */
	uint64_t all_ns;
};

/* A time on one thread. */
struct path_segment {
	size_t thread;
	uint64_t start_ns, end_ns;
};

struct path {
	ARRAY(struct path_segment) segments; /* from the last to the first; gaps are messages */
	ARRAY(struct path_row) rows;         /* by time, the most first */
	uint64_t all_ns;                     /* of the path, messages included */
	uint64_t messages, message_ns;       /* on their way from host to host */
};

struct path *path_new(const struct timeline *timeline);
void path_free(struct path *path);
