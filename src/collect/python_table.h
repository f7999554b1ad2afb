/* SPDX-License-Identifier: BSD-2-Clause */
/* python_table - the interpreters whose frames the BPF programs read (bpf/python.h). */
#pragma once

#include "wire/python.h"

#include <stddef.h>
#include <stdint.h>

struct python_table {
	struct wire_python *pythons; /* WIRE_PYTHONS_MOST; borrowed; NULL: none are read */
	uint8_t *of_object;          /* WIRE_OBJECTS_MOST */
	const struct wire_python_totals *totals;
	size_t count;
};

/* -E2BIG: there is no room; -ENOTSUP: frames are not read here. */
int python_table_add(struct python_table *table, uint32_t object, const struct wire_python *python);
