/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * commands - the list of lever's commands, one file each.
 *
 * argv[0] is the command's name; the value returned is lever's exit code (message.h).
 */
#pragma once

#include "cli/options/options.h"

#include <stdio.h>

int command_run(int argc, char **argv);
int command_record(int argc, char **argv);
int command_trace(int argc, char **argv);
int command_scale(int argc, char **argv);
int command_report(int argc, char **argv);
int command_check(int argc, char **argv);

extern const struct command_page run_page, record_page, trace_page, scale_page, report_page,
	check_page;

/* Runs the command that argv[0] names; an unknown one is wrong usage. */
int commands_run(int argc, char **argv);
/* The overview of commands. */
void commands_print(FILE *out);
