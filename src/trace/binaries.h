/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * binaries - the files of a program's code, as far as they are known before it runs: the executable and
 * the libraries that its loader says, or what running processes have mapped.
 */
#pragma once

#include "base/memory.h"

#include <stdbool.h>
#include <sys/types.h>

struct binaries {
	char **items; /* paths */
	size_t count, capacity;
};

void binaries_add_program(struct binaries *binaries, const char *executable);
void binaries_add_process(struct binaries *binaries, pid_t pid);
/* Adds one path, if it is not there. */
void binaries_add(struct binaries *binaries, const char *path);
void binaries_release(struct binaries *binaries);
/* Whether one of the files contains the text. */
bool binaries_contain(const struct binaries *binaries, const char *text);
/* Whether a program's arguments do, or what begins a file that is one of them: scripts are. */
bool binaries_script_contains(char *const *arguments, const char *text);
