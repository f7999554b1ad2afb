/* SPDX-License-Identifier: BSD-2-Clause */
/* workers - does equal pieces of work on all cores that the process may use. */
#pragma once

#include <stddef.h>

/*
 * Calls `work` with each number below `count` once, in any order and from several threads, of which
 * the caller is one. Returns when all calls have returned.
 */
void workers_run(size_t count, void (*work)(void *argument, size_t number), void *argument);
