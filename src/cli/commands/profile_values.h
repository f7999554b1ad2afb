/* SPDX-License-Identifier: BSD-2-Clause */
/* profile_values - names in a profile, offered as values of options. */
#pragma once

#include "cli/options/completion.h"

/*
 * For --progress and --latency its progress points, for options that take targets its targets.
 * `profile` NULL: lever.lever. A profile that cannot be read offers nothing.
 */
completion_values profile_values;
