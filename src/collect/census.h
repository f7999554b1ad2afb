/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * census - the hands of `lever scale`: counts a program's threads by state, by BPF (bpf/scale.bpf.c).
 *
 * Life: census_open, census_start with a process that waits to exec (the count begins when it does),
 * census_read as often as wanted, census_close. One thread uses it.
 */
#pragma once

#include "base/error.h"
#include "wire/scale.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

struct census;
struct recording_cost;

struct census_options {
	const cpu_set_t *cores; /* that the program may use */
	bool looks; /* at what running threads do, each millisecond: see struct scale_counts */
	bool verbose;
};

int census_open(const struct census_options *options, struct census **census, struct error *error);
void census_close(struct census *census);

/* The process and what it forks. It must not be running. */
int census_start(struct census *census, pid_t pid, struct error *error);
/* The sums of one moment: all of it belongs together. */
int census_read(struct census *census, struct scale_totals *totals, struct error *error);
/* When the program has ended, once: what counting took. */
void census_cost(struct census *census, struct recording_cost *row);
/* What happened so far, on all cores. */
void census_counts(const struct census *census, struct scale_counts *sum);
