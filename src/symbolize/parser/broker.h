/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * broker - opens the files that the parser asks for, in the engine.
 *
 * The parser may have been taken over by a hostile file, so only these are opened, for reading:
 * files that the engine named, the lists of the kernel's functions and modules, and its build id,
 * and debug files from debuginfod, with the engine's rights; other ELF files, such as debug files
 * that a binary names, with the rights of the user behind sudo, if there is one. ELF files are
 * private copies where others can change them.
 */
#pragma once

#include "base/memory.h"

#include <stdbool.h>

struct broker_file {
	char *path;
	bool is_jit; /* of JIT code; false: an ELF file */
};

struct broker {
	ARRAY(struct broker_file) named; /* by the engine */
};

void broker_clear(struct broker *broker);
void broker_add(struct broker *broker, const char *path, bool is_jit);
/* A descriptor or a negative errno. */
int broker_open(const struct broker *broker, const char *path);
