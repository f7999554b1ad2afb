/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * brokered - whether this process is the parser: files that it opens come from the engine, which
 * has checked their owners and copied them (parser/broker.h).
 */
#pragma once

#include <stdbool.h>

bool broker_is_used(void);
void broker_use(void); /* from now on */

/*
 * For a time no file of this path is opened; NULL: all are. libdwfl takes a file that it finds
 * itself for its own debug file, unless stat(2) tells, which the parser may not call.
 */
void broker_refuse(const char *path);
bool broker_refuses(const char *path);

/* Before a build id in hex, and the path of the file with it: its debug file, from debuginfod. */
#define BROKER_FETCH "debuginfod:"
