/* SPDX-License-Identifier: BSD-2-Clause */
/* machine_code - the bytes of an ELF file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct object;

bool machine_code_is_x86_64(const struct object *object);
/* `size` bytes at the file offset; NULL if the file has fewer. */
const uint8_t *machine_code_bytes(const struct object *object, uint64_t offset, uint64_t size);
/*
 * The offset of the first instruction from `offset` on at which the kernel sets a breakpoint: it
 * silently leaves out those with a LOCK or segment prefix, such as the first one of a function that
 * counts in an atomic variable.
 */
uint64_t machine_code_probe_offset(const struct object *object, uint64_t offset);
