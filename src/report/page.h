/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * page - the HTML page without data, which web/ makes at build time.
 *
 * It holds PAGE_MARK once, where the data belong. A build without Node.js has an empty one.
 */
#pragma once

#include <stddef.h>

#define PAGE_MARK "@LEVER_DATA@"

extern const char page[];
extern const size_t page_size_bytes;
