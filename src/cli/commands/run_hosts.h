/* SPDX-License-Identifier: BSD-2-Clause */
/* run_hosts - the other hosts of `lever run --hosts`. */
#pragma once

#include "cli/commands/run_options.h"
#include "collect/collector_hosts.h"

struct run_hosts {
	struct collector_group group;
	ARRAY(char *) names;
	char *executable;
};

/* Reads the list, and files (@FILE: a host a line). */
int run_hosts_read(const struct run_options *options, struct run_hosts *hosts, struct error *error);
/* Options that do not go with --hosts. */
int run_hosts_check(const struct run_options *options, struct error *error);
void run_hosts_auto_release(struct run_hosts *hosts);
