/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * page - samples for the HTML page: tables in which each text, frame and chain is stored once.
 */
#pragma once

#include "analyze/samples/samples.h"

#include <stdio.h>

/*
 * A JSON object of tables, each an object of columns:
 * texts    an array; elsewhere a text is its number + 1; 0: unknown
 * frames   kernel (0 or 1), function, file, line (0: unknown), object
 * stacks   frame, and up: the caller's stack is so many before this one; 0: none
 * threads  pid, tid, command
 * entries  stack (its number + 1, 0: unknown), thread, class (enum sample_class), subclass,
 *          samples, weight_ns; in the order of the JSON report's entries
 */
void samples_page_write(FILE *out, const struct samples *samples);
