/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * table_pages - reads a table of a profile from the pages of its file, by all cores.
 *
 * SQLite needs 0.13 us a row, on one core; call chains have tens of millions. This knows tables
 * with an id, whose rows lie within their pages: https://www.sqlite.org/fileformat2.html, sections
 * 1.6 and 2. Whatever it meets beyond that, damage included, is left to SQLite, which explains it.
 */
#pragma once

#include "profile/recording.h"

/* True if the array of the table now has all rows, by ascending id. Else it is as it was: empty. */
bool table_pages_read(int fd, uint32_t root, size_t table, struct recording *recording);
