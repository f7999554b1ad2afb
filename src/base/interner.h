/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interner - stores each distinct text once, under a number.
 *
 * Numbers count up from 1 and never change, so paths and names compare as integers. 0 is the
 * missing text (NULL). Texts live as long as the interner.
 */
#pragma once

#include "base/memory.h"

#include <stdint.h>

struct interner {
	ARRAY(char *) items;
	uint32_t *slots; /* number of the text in each slot of the hash table, 0: empty */
	size_t capacity;
};

uint32_t interner_add(struct interner *interner, const char *text); /* copies; NULL gives 0 */
uint32_t interner_add_part(struct interner *interner, const char *text, size_t length);
/* 0 if it is not there. */
uint32_t interner_find(const struct interner *interner, const char *text);
uint32_t interner_find_part(const struct interner *interner, const char *text, size_t length);
const char *interner_text(const struct interner *interner, uint32_t id);
void interner_clear(struct interner *interner);
