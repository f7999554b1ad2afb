/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text_table - distinct texts, numbered from 0 on in the order in which they came.
 */
#pragma once

#include "base/memory.h"

struct text_table {
	ARRAY(char *) items; /* valid UTF-8 */
	struct json_t *numbers;
};

/* The text's number; what is not UTF-8 in it becomes U+FFFD, NULL becomes "". */
size_t text_table_add(struct text_table *table, const char *text);
void text_table_free(struct text_table *table);
