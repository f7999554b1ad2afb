/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampler - when a run was in the code of a question: samples as `lever record` takes them, of which
 * those are kept that the experiments of a causal profile would have attributed to that code.
 *
 * Life: sampler_open, sampler_begin with a process that waits to exec, sampler_drain every 20 ms or so,
 * sampler_write when it has ended, sampler_close. Names are looked up at the end, so as not to take a
 * core from the program.
 */
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <sys/types.h>

struct sampler;

struct sampler_options {
	const struct recording_question *question;
	const char *program; /* its path */
	bool verbose;
};

/* Borrows what the options point to. */
int sampler_open(const struct sampler_options *options, struct sampler **sampler,
		 struct error *error);
void sampler_close(struct sampler *sampler);
int sampler_begin(struct sampler *sampler, pid_t pid, struct error *error);
void sampler_drain(struct sampler *sampler);
int sampler_write(struct sampler *sampler, struct profile *profile, int64_t run_id,
		  struct error *error);
