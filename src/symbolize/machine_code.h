/* SPDX-License-Identifier: BSD-2-Clause */
/* machine_code - the bytes of an ELF file, and the functions that it imports. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct object;

bool machine_code_is_x86_64(const struct object *object);
/* `size` bytes at the file offset; NULL if the file has fewer. */
const uint8_t *machine_code_bytes(const struct object *object, uint64_t offset, uint64_t size);
/* The name of the function whose address the loader writes to the address `slot`, or NULL. */
const char *machine_code_imported(const struct object *object, uint64_t slot);
