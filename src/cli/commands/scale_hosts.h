/* SPDX-License-Identifier: BSD-2-Clause */
/* scale_hosts - the other hosts of `lever scale --hosts`: a run there for each here. */
#pragma once

#include "cli/commands/record_hosts.h"
#include "scale/scale.h"

struct scale_hosts {
	const struct common_options *common;
	struct record_hosts record; /* of the current run */
	struct scale_others others; /* for scale_options */
};

/* `common` is borrowed. */
void scale_hosts_open(struct scale_hosts *hosts, const struct common_options *common);
/* For driver_options: the programs of the other hosts start. */
int scale_hosts_start(void *hosts, struct error *error);
void scale_hosts_auto_release(struct scale_hosts *hosts);
