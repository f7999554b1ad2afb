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

struct texts {
	ARRAY(char *) items;
	uint32_t *slots; /* number of the text in each slot of the hash table, 0: empty */
	size_t capacity;
};

uint32_t texts_add(struct texts *texts, const char *text); /* copies; NULL gives 0 */
uint32_t texts_add_part(struct texts *texts, const char *text, size_t length);
uint32_t texts_find(const struct texts *texts, const char *text); /* 0 if it is not there */
const char *texts_get(const struct texts *texts, uint32_t id);
void texts_clear(struct texts *texts);
