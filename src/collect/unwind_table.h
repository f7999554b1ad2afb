/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind_table - the unwind rows of all objects in one shared array (bpf/unwind.h reads it, and
 * runtime/walk.c), filled from its beginning on.
 */
#pragma once

#include "base/error.h"
#include "wire/kernel.h"

#include <stddef.h>
#include <stdint.h>

struct unwind_table {
	struct wire_unwind_row *rows; /* WIRE_UNWIND_ROWS_MOST; NULL: not open */
	size_t count;
	struct wire_unwind_object *objects; /* WIRE_OBJECTS_MOST; borrowed */
};

/* Maps the rows of a BPF array. */
int unwind_table_open(struct unwind_table *table, int map, struct wire_unwind_object *objects,
		      struct error *error);
void unwind_table_close(struct unwind_table *table);
/* -E2BIG when all objects together have too many rows. */
int unwind_table_add(struct unwind_table *table, uint32_t object,
		     const struct wire_unwind_row *rows, size_t count);
