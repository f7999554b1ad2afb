/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * location_name - names of locations.
 *
 * A source file is named by the shortest end of its path that no other source file of the objects
 * in scope shares. So names do not depend on the order of decoding; all file tables are read for
 * that.
 */
#pragma once

#include "symbolize/internal.h"

/* Borrowed; "?" if the file is unknown. */
const char *location_name_of_file(struct symbols *symbols, uint32_t file);
/* Formats a name; returns the text's number. */
uint32_t location_name_add(struct symbols *symbols, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void location_names_clear(struct symbols *symbols);
