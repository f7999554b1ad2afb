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
	bool is_quiet;        /* prints nothing about what is covered */
};

/* int64_t: "14:00", "14:00:30", the last such time; "2026-11-23T14:00"; a Z behind means UTC. */
option_setter report_set_time;
/*
 * The same of one text: a file, a folder, or "FOLDER@FROM..TO" with times as above, of which one
 * may be missing.
 */
int report_files_read_named(const char *name, struct recording **recording, struct error *error);
/* `path` is a file, or a folder of lever record --continuous. -ERANGE: wrong usage. */
int report_files_read(const char *path, const struct report_range *range,
		      struct recording **recording, struct error *error);
