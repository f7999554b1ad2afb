/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * brokered - whether this process is the parser: files that it opens come from the engine, which
 * has checked their owners and copied them (parser/broker.h).
 */
#pragma once

#include <stdbool.h>

bool broker_is_used(void);
void broker_use(void); /* from now on */

/* Before a build id in hex, and the path of the file with it: its debug file, from debuginfod. */
#define BROKER_FETCH "debuginfod:"
