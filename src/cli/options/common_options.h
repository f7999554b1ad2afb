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
	struct value_processes processes;
	struct value_ports ports;
	struct value_texts names; /* globs on comm */
	const char *cgroup;
	bool without_children;
	bool is_system_wide;
	double seconds; /* 0: until the program ends */
	bool then_stop; /* the program, after that time */
	bool force, quiet, verbose;
	struct value_texts hosts; /* the other ones */
	const char *launch;
	char **program; /* into argv, NULL-ended; NULL: processes that run already */
};

extern const struct option option_output, option_fresh, option_pid, option_no_children, option_port,
	option_comm, option_cgroup, option_system, option_seconds, option_then_stop, option_force,
	option_quiet, option_verbose, option_hosts, option_launch;

/* What a command accepts beside a program that it starts. */
#define PROGRAM_WITH_SYSTEM 1u
#define PROGRAM_WITH_NAMES 2u

/* Frees the lists. */
void common_options_release(struct common_options *values);
/* A program, or running processes: 0, or -EINVAL with a sentence. */
int common_options_check_processes(const struct common_options *values, unsigned accepted,
				   struct error *error);
/* 0, or -EINVAL with a sentence. `help`: --help was given, and nothing else is parsed. */
int common_options_parse(const struct command_page *page, int argc, char **argv,
			 struct common_options *values, bool *help, struct error *error);
