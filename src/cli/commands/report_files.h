/* SPDX-License-Identifier: BSD-2-Clause */
/* report_files - the recording to report: of one file, or of a folder's files in a time range. */
#pragma once

#include "base/error.h"
#include "cli/options/options.h"
#include "profile/recording.h"

#include <stdbool.h>
#include <stdint.h>

struct report_range {
	int64_t from_s, to_s; /* Unix times; 0: not given */
};

/* int64_t: "14:00", "14:00:30", the last such time; "2026-11-23T14:00"; a Z behind means UTC. */
option_setter report_set_time;
/* `path` is a file, or a folder of lever record --continuous. -ERANGE: wrong usage. */
int report_files_read(const char *path, const struct report_range *range,
		      struct recording **recording, struct error *error);
