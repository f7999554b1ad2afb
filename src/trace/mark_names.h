/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mark_names - the names of marks that do not come through lever.h, each with its own number.
 *
 * Numbers begin behind those of wire/annotations.h. The last one, MARK_NAMES_OTHER, is "(other
 * names)", which stands for all further names.
 */
#pragma once

#include <stddef.h>

#define MARK_NAMES_FIRST 4097
#define MARK_NAMES_MAX 32768
#define MARK_NAMES_OTHER (MARK_NAMES_FIRST + MARK_NAMES_MAX - 1)

struct mark_names;

struct mark_names *mark_names_new(void);
void mark_names_free(struct mark_names *names);
/* The number of the text, which need not end with 0. */
unsigned mark_names_id(struct mark_names *names, const char *text, size_t length);
/* Their numbers are consecutive, from MARK_NAMES_FIRST on. */
size_t mark_names_count(const struct mark_names *names);
const char *mark_names_text(const struct mark_names *names, size_t index);
