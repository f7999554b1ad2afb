/* SPDX-License-Identifier: BSD-2-Clause */
/* string_table - distinct texts of an export, numbered from 0 in order of appearance. */
#pragma once

#include "base/interner.h"

/* The text's number; what is not UTF-8 in it becomes U+FFFD, NULL becomes "". */
size_t string_table_add(struct interner *table, const char *text);
