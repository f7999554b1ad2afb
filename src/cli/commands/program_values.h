/* SPDX-License-Identifier: BSD-2-Clause */
/* program_values - names in a program's file, offered as values of options. */
#pragma once

/*
 * One a line, each line ended; "" where the file cannot be read. Progress points: those of lever.h
 * and coz.h in the sources of which the debug information tells, USDT probes, functions.
 */
char *program_points(const char *program);
char *program_functions(const char *program);
