/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * string_table - distinct texts, numbered from 0 on in the order in which they came.
 */
#pragma once

#include "base/memory.h"

struct string_table {
	ARRAY(char *) items; /* valid UTF-8 */
	struct json_t *numbers;
};

/* The text's number; what is not UTF-8 in it becomes U+FFFD, NULL becomes "". */
size_t string_table_add(struct string_table *table, const char *text);
void string_table_free(struct string_table *table);
