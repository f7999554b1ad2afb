/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names - names of annotations that are not in the memory of lever.h, each with a number of its own.
 *
 * Numbers begin behind those of wire/annotations.h. When there are NAMES_MOST, all further ones are
 * "(other names)".
 */
#pragma once

#include <stddef.h>

#define NAMES_FIRST 4097
#define NAMES_MOST 32768

struct names;

struct names *names_new(void);
void names_free(struct names *names);
/* The number of the text, which need not end with 0. */
unsigned names_number(struct names *names, const char *text, size_t length);
/* How many there are; their numbers follow each other from NAMES_FIRST on. */
size_t names_count(const struct names *names);
const char *names_text(const struct names *names, size_t index);
