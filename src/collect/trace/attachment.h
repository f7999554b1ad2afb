/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * attachment - lets processes that run already write their annotations into the memory of a trace.
 *
 * Each process that uses lever.h has a page at a known address (wire/points.h). Two words of it are changed:
 * the path of the memory, and that somebody listens; the process maps the memory by itself at its next
 * annotation. At the end it is told that nobody listens; what it has mapped stays mapped. Its children
 * inherit all that.
 */
#pragma once

#include "collect/trace/annotation_reader.h"

#include <sys/types.h>

struct attachment;

enum attachment_result {
	ATTACHMENT_DONE,
	ATTACHMENT_UNAVAILABLE, /* it has no lever.h, or is gone, or not ours to touch */
	ATTACHMENT_BUSY,        /* another lever trace listens to it */
	ATTACHMENT_CONFLICT, /* its names contradict those of another process, from an earlier trace */
};

/* Borrows the reader. */
struct attachment *attachment_new(struct annotation_reader *reader);
/* Tells all to be silent again. */
void attachment_free(struct attachment *attachment);
enum attachment_result attachment_add(struct attachment *attachment, pid_t pid);
