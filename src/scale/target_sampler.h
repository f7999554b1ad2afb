/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * target_sampler - samples of a run in the code of a what-if target: those that the experiments of
 * a causal profile would have attributed to it.
 *
 * Life: target_sampler_open; target_sampler_begin with a process that waits to exec;
 * target_sampler_drain about every 20 ms; target_sampler_write when it has ended;
 * target_sampler_close. Names are looked up at the end, when the program no longer needs the cores.
 */
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <sys/types.h>

struct target_sampler;

struct target_sampler_options {
	const struct recording_what_if *what_if;
	const char *program; /* its path */
	bool verbose;
};

/* Borrows the options' pointers. */
int target_sampler_open(const struct target_sampler_options *options,
			struct target_sampler **sampler, struct error *error);
void target_sampler_close(struct target_sampler *sampler);
int target_sampler_begin(struct target_sampler *sampler, pid_t pid, struct error *error);
void target_sampler_drain(struct target_sampler *sampler);
/* Samples for which there was no memory: beyond 4 million. */
uint64_t target_sampler_lost(const struct target_sampler *sampler);
int target_sampler_write(struct target_sampler *sampler, struct profile *profile, int64_t run_id,
			 struct error *error);
