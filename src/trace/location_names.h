/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * location_names - source lines for names like "loop at /path/program+0x12a0".
 *
 * liblever-ompt.so writes such names. The offset is that of a return address.
 */
#pragma once

struct location_names;

struct location_names *location_names_new(void);
void location_names_free(struct location_names *names);
/* "loop at main.c:42"; NULL if the name has no location, or it is unknown. To be freed. */
char *location_names_resolve(struct location_names *names, const char *name);
