/* SPDX-License-Identifier: BSD-2-Clause */
/* environment - further NAME=VALUE entries for a program that is started. */
#pragma once

#include "base/memory.h"

/* Zeroed: no entry. */
struct environment {
	char **items; /* NULL at the end once environment_entries was asked */
	size_t count, capacity;
};

void environment_add(struct environment *environment, const char *entry);
/* NAME=VALUE, unless the user has set NAME, or `value` is NULL. */
void environment_add_default(struct environment *environment, const char *name, const char *value);
/* LD_PRELOAD: the library before those that the user preloads. */
void environment_preload(struct environment *environment, const char *library);
/* For program_prepare; NULL-ended. */
const char *const *environment_entries(struct environment *environment);
void environment_auto_release(struct environment *environment);
