/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * common_options - the options that recording commands share.
 *
 * A command names the ones that it has in the `shared` list of its page; its values begin with a
 * struct common_options, where they are put.
 */
#pragma once

#include "cli/options/values.h"

#define DEFAULT_OUTPUT "lever.lever"

struct common_options {
	const char *output;
	bool fresh;
	struct value_processes processes; /* to be freed */
	const char *cgroup;
	bool is_system_wide;
	double seconds; /* 0: until the program ends */
	bool force, quiet, verbose;
	char **program; /* into argv, NULL-ended; NULL: processes that run already */
};

extern const struct option option_output, option_fresh, option_pid, option_cgroup, option_system,
	option_seconds, option_force, option_quiet, option_verbose;

/* 0, or -EINVAL with a sentence. `help`: --help was given, and nothing else is parsed. */
int common_options_parse(const struct command_page *page, int argc, char **argv,
			 struct common_options *values, bool *help, struct error *error);
