/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * broker - opens the files that the parser asks for, in the engine, with the engine's rights.
 *
 * The parser may have been taken over by a hostile file, so only these are opened, for reading:
 * ELF files, as private copies where others can change them; the lists of the kernel's functions
 * and modules, and its build id; files of JIT code that the engine named; debug files from
 * debuginfod.
 */
#pragma once

#include "base/memory.h"

struct broker {
	ARRAY(char *) jit_files;
};

void broker_clear(struct broker *broker);
void broker_add_jit_file(struct broker *broker, const char *path);
/* A descriptor or a negative errno. */
int broker_open(const struct broker *broker, const char *path);
