/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * visits - counts a progress point in the runs of two commands, by the engines of `lever run`.
 *
 * Nothing pauses. The engine samples rarely, since it reads points of lever.h at its ticks. The
 * time of a visit is that from a run's first visit to its last one, so what a program does at its
 * start and end is no part of it.
 */
#pragma once

#include "analyze/diff/run_pairs.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct visits;

struct visits_options {
	const char *point;           /* as --progress of `lever run` */
	const char *runtime_library; /* where the kernel engine is refused; NULL: there is none */
	const char *programs[2];     /* files, by enum run_side; NULL: not known yet */
};

/* -EINVAL: the point cannot be counted in commands; -ENXIO: no program has it. */
int visits_open(const struct visits_options *options, struct visits **visits, struct error *error);
void visits_free(struct visits *visits);
/* Further NAME=VALUE entries that the commands must be started with, ended by NULL. Borrowed. */
const char *const *visits_environment(const struct visits *visits);

/* The run of a program that is forked, and execs next. */
int visits_begin(struct visits *visits, int pidfd, struct error *error);
/* To be called now and then while it runs. */
void visits_poll(struct visits *visits);
/* After its end: seconds from the first visit to the last one, for each; 0: fewer than two. */
double visits_end(struct visits *visits);
/* The names of the points of lever.h that were visited, for messages; to be freed; NULL: none. */
char *visits_names(const struct visits *visits);
