/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unit - the compilation units of an object, the code that each owns, and its decoded locations.
 *
 * The table is made from the unit entries alone, without line tables and without .debug_aranges,
 * which clang and Rust do not write. Of units that claim the same code, one owns it.
 */
#pragma once

#include "base/interval_map.h"
#include "base/ranges.h"

#include <elfutils/libdw.h>

struct object;
struct inline_tree;
struct attribution;

struct unit_piece {
	uint64_t start, end; /* offsets */
	uint32_t location;
};

struct unit {
	Dwarf_Die die;      /* of a split unit: the skeleton */
	struct ranges code; /* offsets that it owns, merged */
	bool has_ranges;    /* its entry has ranges */
	bool is_decoded;
	struct inline_tree *frames; /* its functions, indexed, once it is decoded */
	struct unit_piece *pieces;  /* sorted, disjoint; only what is attributed to a location */
	size_t piece_count;
	struct ranges in_scope; /* what the pieces cover, merged */
	/* In their place, in symbols that only name addresses: sorted, disjoint. */
	struct attribution *attributions;
	size_t attribution_count;
	uint32_t *files; /* after units_read_file_tables: texts of its source files */
	size_t file_count;
	bool files_unknown; /* its file table cannot be parsed: any file may be in it */
};

struct units {
	struct unit *items;
	size_t count, capacity;
	struct interval_map owners; /* value: the unit that owns the offset */
	/* Code that no unit owns, where that is most of it: only a part has debug information. */
	struct ranges bare;
	bool has_read_files;
};

/* Reads the table once, into object->units; empty if debug information is missing or damaged. */
struct units *units_read(struct object *object);
/* The unit that owns the offset, or NULL. */
struct unit *units_at(struct object *object, uint64_t offset);
/* Its top entry with functions; of a split unit, in the .dwo file if that is found. */
Dwarf_Die unit_full_die(const struct unit *unit);
const char *unit_directory(Dwarf_Die *unit_die); /* compilation directory or NULL */
void units_free(struct object *object);
