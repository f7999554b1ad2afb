/* SPDX-License-Identifier: BSD-2-Clause */
/* kallsyms - names of the running kernel's functions, from /proc/kallsyms. */
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
 * Reads the names again if modules or BPF programs were loaded or unloaded, and the address is
 * not in the kernel without modules; at most once a second, for an address with a name at most
 * each 30 s. Returns whether it did: everything borrowed is invalid then. Names of unloaded
 * code are kept unless other code has the address now.
 */
bool kallsyms_refresh(struct kallsyms *kallsyms, uint64_t address);
/* All of them, by start; the number goes to *count. Borrowed. */
const struct kallsyms_function *kallsyms_all(const struct kallsyms *kallsyms, size_t *count);
/* The function at the address, or NULL. Borrowed. `kallsyms` may be NULL. */
const struct kallsyms_function *kallsyms_at(const struct kallsyms *kallsyms, uint64_t address);
/* The addresses of the kernel without modules. */
void kallsyms_core(const struct kallsyms *kallsyms, uint64_t *start, uint64_t *end);
/*
 * The number of the newest BPF program, which grows: of the older number, if the kernel does not
 * tell. `kallsyms_tell_newest` serves a process that cannot ask.
 */
uint32_t kallsyms_newest_program(uint32_t older);
void kallsyms_tell_newest(struct kallsyms *kallsyms, uint32_t newest);
#define KALLSYMS_CHECK_INTERVAL_NS 50000000ull /* of kallsyms_refresh */
