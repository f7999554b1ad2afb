/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * binaries - the files of a program's code that are known before it runs: the executable and the
 * libraries that its loader lists, or the files that running processes have mapped.
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
void binaries_release(struct binaries *binaries);
/* One of the files contains the text. */
bool binaries_contain(const struct binaries *binaries, const char *text);
/* An argument contains the text, or the first 1 MiB of a file that is named by one: a script. */
bool binaries_script_contains(char *const *arguments, const char *text);
