/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * screen - a full-screen table of a causal profile that grows (lever run --tui), with the keys of
 * htop and perf top. A build without ncurses has none.
 */
#pragma once

#include <stdbool.h>

bool screen_is_built(void);
/* Can this terminal (TERM, the environment's) move its cursor? */
bool screen_suits_terminal(void);
/*
 * Shows the profile at `path` on the terminal until the descriptor `until` ends. A byte to `stop`
 * ends the recording. Returns an exit code.
 */
int screen_run(const char *path, int stop, int until);
