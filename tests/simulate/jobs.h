/* SPDX-License-Identifier: BSD-2-Clause */
/* jobs - simulated programs of well-known shapes over several hosts, with targets. */
#pragma once

#include "hosts.h"

struct job_pattern {
	const char *name;
	void (*build)(struct job *job, struct random *random);
};

extern const struct job_pattern job_patterns[];
extern const uint32_t job_pattern_count;

/* The job of this seed on so many hosts, 2 at least. */
void job_build(const struct job_pattern *pattern, uint64_t seed, uint32_t hosts, struct job *job);
