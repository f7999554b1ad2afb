/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * job_hosts - on which hosts the processes of a job run: its own launcher starts something there
 * that prints JOB_HOSTS_WORD and the host's name.
 */
#pragma once

#include "base/error.h"

#include <stddef.h>

#define JOB_HOSTS_WORD "lever-host"

/* Runs the words, and returns each name once, of hosts other than this one; all to be freed. */
int job_hosts_find(char *const *words, char ***names, size_t *count, struct error *error);
