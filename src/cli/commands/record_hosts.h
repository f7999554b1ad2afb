/* SPDX-License-Identifier: BSD-2-Clause */
/* record_hosts - the other hosts of a recording, whose rows join the profile. */
#pragma once

#include "cli/commands/run_hosts.h"
#include "collect/hosts/recordings.h"
#include "driver/driver.h"

struct record_hosts {
	struct run_hosts hosts;
	struct recordings *recordings; /* NULL: there are no other hosts */
};

/* Starts the same recording there; `words`: lever's, without its program. */
int record_hosts_begin(struct record_hosts *record, const struct common_options *options,
		       const char *const *words, struct error *error);
/* The same, with the programs of all hosts starting at one time. */
struct driver_options record_hosts_driver(struct record_hosts *record,
					  const struct driver_options *driver);
/* For driver_options: the programs of the other hosts start. */
int record_hosts_start(void *record, struct error *error);
/*
 * Ends it, and adds its rows to the profile: to the run of the first host, of a session of lever
 * scale. Returns what went wrong, a line each; to be freed; NULL: nothing.
 */
char *record_hosts_add(struct record_hosts *record, struct profile *profile, int64_t first_run_id,
		       int64_t session_id);
/* Likewise, to the profile's file, which is closed, with a note of what went wrong. */
int record_hosts_end(struct record_hosts *record, const char *output, struct error *error);
void record_hosts_auto_release(struct record_hosts *record);
