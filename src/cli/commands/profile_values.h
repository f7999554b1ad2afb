/* SPDX-License-Identifier: BSD-2-Clause */
/* profile_values - names in a profile and in a program, offered as values of options. */
#pragma once

#include "cli/options/completion.h"

/*
 * For --progress and --latency progress points, for --target, --with and --assume targets: of the
 * profile, and of the program; for --focus the program's functions. Profile NULL: lever.lever. What
 * cannot be read offers nothing.
 */
completion_values profile_values;
