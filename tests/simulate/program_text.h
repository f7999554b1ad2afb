/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * program_text - simulated programs as text, to be printed, changed, and read again.
 *
 *	object 0 1        an object: its value, and its capacity
 *	threads 2 compute*(300+-10) lock(0) compute(150) unlock(0) visit
 *
 *	threads 2 retry_lock(155,0) compute(150) unlock(0)      a nap of 155 before each next try
 *
 * The first object is number 0. Lengths are in us, with a spread in percent; a star marks the
 * target. `foreign` instead of `threads`: another program's.
 */
#pragma once

#include "program.h"

#include <stdio.h>

void program_print(const struct program *program, FILE *file);
/* Returns the number of the first line that is no program's; 0: all were read. */
unsigned program_read(FILE *file, struct program *program);
