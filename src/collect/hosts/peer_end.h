/* SPDX-License-Identifier: BSD-2-Clause */
/* peer_end - how another host's program ended, and whether that is worth telling. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct peer_end {
	int status; /* as waitpid gives it; 0: without an error, not yet, or told */
	uint64_t at_ns;
};

/* From a HOSTS_ENDED. False: it is none. */
bool peer_end_take(struct peer_end *end, const void *data, size_t size, uint64_t now_ns);
/*
 * A sentence about a program that failed while the run goes on, once; to be freed. NULL: there is
 * nothing to tell yet. Others end with an error just because the first host's has ended, and the
 * run with it, so that is known after HOSTS_LOST_NS only; of a crash at once.
 */
char *peer_end_failure(struct peer_end *end, uint64_t now_ns);
