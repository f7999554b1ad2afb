/* SPDX-License-Identifier: BSD-2-Clause */
/* start_gate - how an agent of several hosts and lever there agree on the start of the program. */
#pragma once

/*
 * The number of a socket. Lever writes a byte to it when the program waits to be started, and
 * starts it when it has read one.
 */
#define START_GATE_VARIABLE "LEVER_START_GATE"
