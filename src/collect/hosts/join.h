/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join - a process that a job's launcher has started becomes part of the run on its host.
 *
 * It connects to the engine there by an abstract socket of the job's name, is taken in, and then
 * executes its program. Only processes of the engine's own user, and of root, are taken in.
 */
#pragma once

#include "base/error.h"

#include <stddef.h>

#define JOIN_NAME_BYTES 40 /* of a job, with the 0 */

struct join_host {
	const char *name;
	unsigned index;
	/* The process waits: 0, if it was taken in. */
	int (*add)(void *context, int pidfd, struct error *error);
	void *context;
};

/* Hexadecimal, drawn anew. */
int join_draw_name(char name[JOIN_NAME_BYTES], struct error *error);
/* Returns a descriptor, or below 0. */
int join_listen(const char *job, struct error *error);
/* Takes in those that wait; never waits itself. Counts those that could not be. */
void join_serve(int listener, const struct join_host *host, size_t *refused);
/* As a process of the job: then sets LEVER_HOST, LEVER_HOST_INDEX and LEVER_LISTEN. */
int join_job(const char *job, struct error *error);
