/* SPDX-License-Identifier: BSD-2-Clause */
/* string_table - distinct texts of an export, numbered from 0 in order of appearance. */
#pragma once

#include "base/interner.h"
#include "base/json.h"

/* The text's number; what is not UTF-8 in it becomes U+FFFD, NULL becomes "". */
size_t string_table_add(struct interner *table, const char *text);
/* The texts as an array, in the order of their numbers. */
void string_table_write(struct json_writer *json, const char *key, const struct interner *table);
