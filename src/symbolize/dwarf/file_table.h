/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * file_table - the source files in the header of a line table, without its rows. DWARF 2 to 5.
 *
 * libdw gives file names only together with all decoded rows. Finding the units of a source file in
 * a large binary needs the file names of all units and the rows of few.
 */
#pragma once

#include "symbolize/dwarf/sources.h"
#include "symbolize/dwarf/unit.h"
#include "symbolize/object/object.h"

/* The unit's files, as texts with whole paths, in unit->files. Once per object. */
void units_read_file_tables(struct sources *sources, struct object *object);
