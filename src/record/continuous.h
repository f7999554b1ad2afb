/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * continuous - recordings that follow each other without end, each in a file of an archive.
 *
 * A file begins at each multiple of the rotation time, so that one that covers 14:00 to 14:10 is
 * there. Between two files a recorder is set up anew: what it held in memory does not grow.
 */
#pragma once

#include "record/record.h"

struct continuous_options {
	const char *folder; /* is made if it does not exist */
	uint64_t rotate_ns;
	uint64_t keep_bytes; /* of all files; 0: all are kept */
};

/* Until a signal ends it, or the processes that it records. See driver_run. */
void continuous_run(const struct continuous_options *continuous,
		    const struct record_options *options, const struct driver_options *driver,
		    struct driver_result *result, struct error *error);
