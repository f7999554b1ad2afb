/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * texts - each different text once, by number.
 *
 * Numbers are stable and small, so paths and names compare as integers. 0 is the missing text
 * (NULL). The texts live as long as the table.
 */
#pragma once

#include "base/memory.h"

#include <stdint.h>

struct interner {
	ARRAY(char *) items;
	uint32_t *slots; /* number of the text in each slot of the hash table, 0: empty */
	size_t capacity;
};

uint32_t interner_add(struct interner *texts, const char *text); /* copies; NULL gives 0 */
uint32_t interner_add_part(struct interner *texts, const char *text, size_t length);
uint32_t interner_find(const struct interner *texts, const char *text); /* 0 if it is not there */
const char *interner_text(const struct interner *texts, uint32_t id);
void interner_clear(struct interner *texts);
