/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signals - the signal of the sampling clock, which the program can neither block, take nor handle.
 */
#pragma once

/* Installs the handler of RUNTIME_SIGNAL. */
void signals_open(void);
/* Unblocks it in this thread. */
void signals_let_through(void);
