/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpf_side - what loading and feeding BPF programs needs, whichever object they are from.
 */
#pragma once

#include "base/error.h"
#include "wire/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lets libbpf explain itself on stderr, or not. */
void bpf_loader_set_verbose(bool verbose);
/* Why the programs could not be loaded, and what to do. */
int bpf_loader_explain(int code, struct error *error);

/* The rows of all objects in one BPF array (bpf/unwind.h), filled from its beginning on. */
struct unwind_table {
	struct wire_unwind_row *rows; /* mapped; NULL: not open */
	size_t count;
	struct wire_unwind_object *objects; /* WIRE_OBJECTS_MOST */
};

int unwind_table_open(struct unwind_table *table, int map, struct wire_unwind_object *objects,
		      struct error *error);
void unwind_table_close(struct unwind_table *table);
/* -E2BIG when all objects together have too many rows. */
int unwind_table_add(struct unwind_table *table, uint32_t object,
		     const struct wire_unwind_row *rows, size_t count);
