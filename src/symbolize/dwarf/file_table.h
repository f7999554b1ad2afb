/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filetable - the names of the source files in a line table's header, without its rows.
 *
 * libdw gives file names only together with all decoded rows. Finding the units of a source file
 * in a large binary needs the names of every unit but the rows of few. DWARF 2 to 5.
 */
#pragma once

#include "symbolize/dwarf/sources.h"
#include "symbolize/dwarf/unit.h"
#include "symbolize/object/object.h"

/* The unit's files, as texts with whole paths, in unit->files. Once per object. */
void units_read_file_tables(struct sources *sources, struct object *object);
bool unit_has_file(const struct unit *unit, uint32_t file);
