/* SPDX-License-Identifier: BSD-2-Clause */
/* run_hosts - the other hosts of `lever run --hosts`, and of a job that `mpirun` starts. */
#pragma once

#include "cli/commands/run_options.h"
#include "collect/collector_hosts.h"

struct run_hosts {
	struct collector_group group; /* without names: there are no other hosts */
	ARRAY(char *) names;
	char *executable;
	char **launch, *launch_text;
	char job[40];
	char **executed; /* the job's command, with its processes joining; NULL: as given */
};

/* Reads the list, and files (@FILE: a host a line), or asks a job's launcher. */
int run_hosts_read(const struct common_options *options, struct run_hosts *hosts,
		   struct error *error);
/* Without asking; a job may still turn out to run on this host only. */
bool run_hosts_are_wanted(const struct common_options *options);
bool run_hosts_are_those_of_run(const struct run_options *options);
/* Options of lever run that do not go with several hosts. */
int run_hosts_check(const struct run_options *options, struct error *error);
void run_hosts_auto_release(struct run_hosts *hosts);
