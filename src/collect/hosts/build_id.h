/* SPDX-License-Identifier: BSD-2-Clause */
/* build_id - of an ELF file, by which a file on another host is known to be the same. */
#pragma once

#include <stddef.h>

/* Hexadecimal; "" if the file cannot be read or has none. */
void build_id_read(const char *path, char *text, size_t size);
