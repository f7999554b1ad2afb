/* SPDX-License-Identifier: BSD-2-Clause */
/* interruption - the signals by which a user ends a recording, counted. */
#pragma once

#include <stdbool.h>

/*
 * From now on Ctrl-C, SIGTERM and SIGHUP are counted, and a full disk or a closed pipe is an error.
 */
void interruption_catch(void);
int interruption_count(void);        /* Ctrl-C */
int interruption_terminations(void); /* SIGTERM and SIGHUP */
bool interruption_any(void);
