/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * page - the HTML page without its data, as web/ made it at build time.
 *
 * Its bytes hold PAGE_MARK once, where the data belong. A build without Node.js has none: size 0.
 */
#pragma once

#include <stddef.h>

#define PAGE_MARK "@LEVER_DATA@"

extern const char page[];
extern const size_t page_size_bytes;
