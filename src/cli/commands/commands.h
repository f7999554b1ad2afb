/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * commands - the list of lever's commands. One file per command, one signature.
 *
 * argv[0] is the command's name; the value returned is lever's exit code (message.h).
 */
#pragma once

#include "cli/options/options.h"

struct command {
	const struct command_page *page;
	int (*run)(int argc, char **argv);
};

extern const struct command commands[];
extern const size_t commands_count;

int command_run(int argc, char **argv);
int command_record(int argc, char **argv);
int command_trace(int argc, char **argv);
int command_scale(int argc, char **argv);
int command_report(int argc, char **argv);
int command_check(int argc, char **argv);
int command_help(int argc, char **argv);
int command_version(int argc, char **argv);

extern const struct command_page run_page, record_page, trace_page, scale_page, report_page,
	check_page, help_page, version_page;

/* Runs the command that argv[0] names, or says what is wrong with that name. */
int commands_run(int argc, char **argv);
