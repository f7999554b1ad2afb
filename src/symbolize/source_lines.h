/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source_lines - what stands in lines of source files, as numbers: lines that differ by white space
 * only have the same one. So a later build's profile can tell where code has gone.
 *
 * Files are read once, with the rights of the user behind sudo, and only if everybody may read
 * them: their names come from binaries that nobody need trust.
 */
#pragma once

#include <stdint.h>

struct source_lines;

struct source_lines *source_lines_new(void);
void source_lines_free(struct source_lines *lines);
/* 16 hexadecimal digits; NULL: unknown, or a line of few letters. To be freed. */
char *source_lines_content(struct source_lines *lines, const char *file, unsigned line);
