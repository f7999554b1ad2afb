/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * places - names that end with a place in a file of code, "loop at /path/program+0x12a0", as lines.
 *
 * liblever-ompt.so writes such names. The offset is that of a return address.
 */
#pragma once

struct places;

struct places *places_new(void);
void places_free(struct places *places);
/* "loop at main.c:42"; NULL if the name has no place, or nothing better is known. To be freed. */
char *places_name(struct places *places, const char *name);
