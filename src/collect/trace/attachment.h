/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * attachment - lets processes that run already write their annotations into the memory of a trace.
 *
 * Each process that uses lever.h has a page at a known address (wire/points.h). Two fields of it
 * are changed: the path of the memory, and that a trace listens. The process maps the memory at its
 * next annotation. At the end the second field is cleared; the mapping stays. Children inherit
 * both.
 */
#pragma once

#include "collect/trace/annotation_reader.h"

#include <sys/types.h>

struct attachment;

#define ATTACHMENT_PROCESSES_MOST 512 /* a descriptor each */

enum attachment_result {
	ATTACHMENT_DONE,
	ATTACHMENT_UNAVAILABLE, /* it has no lever.h, is gone, or may not be written to */
	ATTACHMENT_BUSY,        /* another lever trace listens to it */
	ATTACHMENT_FULL,        /* ATTACHMENT_PROCESSES_MOST are attached */
	ATTACHMENT_CONFLICT,    /* its names, of an earlier trace, contradict another process's */
};

/* Borrows the reader. */
struct attachment *attachment_new(struct annotation_reader *reader);
/* Ends the annotations of all processes. */
void attachment_free(struct attachment *attachment);
enum attachment_result attachment_add(struct attachment *attachment, pid_t pid);
