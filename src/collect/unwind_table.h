/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind_table - the unwind rows of all objects in one shared array (bpf/unwind.h reads it, and
 * runtime/walk.c). An object's rows lie together, in the first place that has room.
 */
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "wire/kernel.h"

#include <stddef.h>
#include <stdint.h>

struct unwind_table {
	struct wire_unwind_row *rows;       /* WIRE_UNWIND_ROWS_MOST; NULL: not open */
	size_t count;                       /* the rows behind were never used */
	struct wire_unwind_object *objects; /* WIRE_OBJECTS_MOST; borrowed */
	/* Not read from `objects`, which the program may overwrite. */
	ARRAY(struct wire_unwind_object) used; /* by object */
	ARRAY(struct wire_unwind_object) gaps; /* before `count` */
};

/* Maps the rows of a BPF array. */
int unwind_table_open(struct unwind_table *table, int map, struct wire_unwind_object *objects,
		      struct error *error);
void unwind_table_close(struct unwind_table *table);
/* -E2BIG when all objects together have too many rows. */
int unwind_table_add(struct unwind_table *table, uint32_t object,
		     const struct wire_unwind_row *rows, size_t count);
/* No code of the object is walked any more. */
void unwind_table_drop(struct unwind_table *table, uint32_t object);
