/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * starter - a process without rights that starts children of the engine, as small as it was.
 *
 * A child that the engine forks late begins with all of the engine's memory: a parser that replaces
 * another one after hours would hold the sums of these hours.
 */
#pragma once

#include <sys/types.h>

struct starter {
	int socket;
	pid_t pid; /* 0: there is none */
};

/* In a child: serves at the socket, and does not return. */
typedef void starter_run(void *context, int socket);

/* Forks now; `run` and its context are those of later children. On failure there is none. */
void starter_begin(struct starter *starter, starter_run *run, void *context);
/* A child of this process that runs with a copy of the socket; negative: it was not started. */
pid_t starter_ask(struct starter *starter, int socket);
void starter_end(struct starter *starter);
