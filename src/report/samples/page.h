/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * samples_page - samples as the HTML page wants them: what many chains have in common stands once.
 */
#pragma once

#include "analyze/samples/samples.h"

#include <stdio.h>

/*
 * A JSON object of tables, each an object of columns:
 * texts    an array; elsewhere a text is its number + 1, and 0 if it is unknown
 * frames   kernel (0 or 1), function, file, line (0: unknown), object
 * stacks   frame, and up: how many stacks before this one that of the caller is, 0 if there is none
 * threads  pid, tid, command
 * entries  stack (its number + 1, 0: unknown), thread, class (enum sample_class), subclass, samples,
 *          weight_ns; in the order of the JSON report's entries
 */
void samples_page_write(FILE *out, const struct samples *samples);
