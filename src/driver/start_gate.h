/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * start_gate - the programs of several hosts start at one time: lever of each host tells the agent
 * that started it when all is prepared there, and waits for its word.
 */
#pragma once

#include "base/error.h"
#include "collect/hosts/start_gate.h"

#include <stdbool.h>

/* Takes the gate that START_GATE_VARIABLE names, before any program is started. */
void start_gate_take(void);
/* The program is a part of a job, which may end before it. */
bool start_gate_is_there(void);
/* For driver_options: at once, if there is no gate. */
int start_gate_await(void *context, struct error *error);
