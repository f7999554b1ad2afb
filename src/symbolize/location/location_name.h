/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * name - what locations are called.
 *
 * A source file is called by the shortest end of its path that no other source file of the objects
 * in scope shares, so that the same run gives the same names whatever was decoded first.
 */
#pragma once

#include "symbolize/internal.h"

/* Borrowed; "?" if the file is unknown. */
const char *name_of_file(struct symbols *symbols, uint32_t file);
/* The text as a number, for names put together. */
uint32_t name_add(struct symbols *symbols, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void names_clear(struct symbols *symbols);
