/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording_command - a command that records: options in, a profile and a summary out.
 *
 * A command is a table and its verb (driver/driver.h): see commands/scale.c.
 */
#pragma once

#include "cli/options/common_options.h"
#include "driver/driver.h"
#include "profile/recording.h"

#include <stdio.h>

struct recording_command {
	const struct command_page *page;
	enum run_kind kind;
	const char
		*no_answer; /* a diagnostic if nothing was recorded; NULL: the summary reports it */

	/* Options that exclude or need each other: 0, or -EINVAL with a sentence. */
	int (*check)(struct common_options *values, struct error *error);
	/* Calls the verb. The context of driver->message is the struct live_line. */
	void (*record)(struct common_options *values, const struct driver_options *driver,
		       struct driver_result *result, struct error *error);
	/* `out` NULL: prints nothing. False: the data do not support an answer. */
	bool (*summarize)(FILE *out, const struct common_options *values,
			  const struct recording *recording);
};

/* Returns lever's exit code. */
int recording_command_run(const struct recording_command *command, struct common_options *values,
			  int argc, char **argv);
