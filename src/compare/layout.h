/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * layout - where a program's code and stack lie in memory, changed by chance.
 *
 * The size of the environment moves the stack, the order of linking moves the code; a program's
 * speed may change by several percent with either (Mytkowicz et al., "Producing wrong data without
 * doing anything obviously wrong!", ASPLOS 2009). Where address space randomization is on, the
 * kernel changes the rest with each run.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* A copy of the environment with one more entry of `bytes` bytes. Freed by layout_free. */
char **layout_environment(unsigned bytes);
void layout_free(char **environment);
#define LAYOUT_BYTES_MOST 4096

/* Is it on, for this process and the kernel? */
bool layout_is_randomized(void);

/*
 * Runs the link command in a shell, with its object files (words that end in .o, .obj or .a) in an
 * order that follows from the seed, and the word {} replaced by `program`.
 */
int layout_link(const char *command, const char *program, uint64_t seed, struct error *error);
/* The arguments with each {} replaced by `program`; to be freed with each of its texts. */
char **layout_arguments(char *const *arguments, const char *program);
