/* SPDX-License-Identifier: BSD-2-Clause */
/* record_hosts - the other hosts of `lever record --hosts`, whose samples join the profile. */
#pragma once

#include "cli/commands/run_hosts.h"
#include "collect/hosts/recordings.h"

struct record_hosts {
	struct run_hosts hosts;
	struct recordings *recordings; /* NULL: there are no other hosts */
};

/* Starts the same recording there; `words`: lever's, without its program. */
int record_hosts_begin(struct record_hosts *record, const struct common_options *options,
		       const char *const *words, struct error *error);
/* Ends it, and adds it to the profile, which is closed. */
int record_hosts_end(struct record_hosts *record, const char *output, struct error *error);
void record_hosts_auto_release(struct record_hosts *record);
