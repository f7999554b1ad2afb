/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kallsyms - names of the running kernel's functions, from /proc/kallsyms.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kallsyms;

struct kallsyms_function {
	uint64_t start, end;
	const char *name;
	const char *module; /* NULL: the kernel itself; "bpf" of BPF programs */
};

/* From `path` ("/proc/kallsyms"); an error if it hides the addresses (kptr_restrict). */
int kallsyms_read(const char *path, struct kallsyms **result, struct error *error);
void kallsyms_free(struct kallsyms *kallsyms);
/*
 * Modules and BPF programs come and go. If that may have happened since it was last asked for, and the
 * address is not one of the kernel proper, reads all anew, and says whether it did; what was borrowed
 * is unloaded then. Names of what has unloaded are kept where nothing else came. Reads at most once a second.
 */
bool kallsyms_refresh(struct kallsyms *kallsyms, uint64_t address);
/* All of them, by start; the number goes to *count. Borrowed. */
const struct kallsyms_function *kallsyms_all(const struct kallsyms *kallsyms, size_t *count);
/* The function that holds the address, or NULL. Borrowed. NULL may be given for none. */
const struct kallsyms_function *kallsyms_at(const struct kallsyms *kallsyms, uint64_t address);
