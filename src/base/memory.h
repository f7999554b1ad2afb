/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory - allocation that does not fail, growing arrays, and formatted texts.
 *
 * Without memory the engine exits with a message (exit code 1); the profile on disk stays readable.
 * Not for the runtime, which lives in other processes.
 */
#pragma once

#include <stddef.h>
#include <stdlib.h>

void *memory_new(size_t count, size_t size); /* zeroed */
/* The same for arrays that may be large and are used whole: by large pages, where there are any. */
void *memory_new_large(size_t count, size_t size);
void *memory_resize(void *old, size_t count, size_t size);
char *text_copy(const char *text); /* NULL stays NULL */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Adds a line, which is freed, unless the text has it already. Either may be NULL. */
void text_add_line(char **text, char *line);

/* A growing array: ARRAY(struct thing) things = {0}; *array_add(&things) = thing; */
#define ARRAY(type)                     \
	struct {                        \
		type *items;            \
		size_t count, capacity; \
	}

/* Address of a new, zeroed last item. */
#define array_add(array)                                                                         \
	((array)->items = memory_array_grow((array)->items, &(array)->count, &(array)->capacity, \
					    sizeof(*(array)->items)),                            \
	 &(array)->items[(array)->count - 1])

#define array_free(array)                               \
	do {                                            \
		free((array)->items);                   \
		(array)->items = NULL;                  \
		(array)->count = (array)->capacity = 0; \
	} while (0)

/* For array_add: appends a zeroed item and returns the array. */
void *memory_array_grow(void *items, size_t *count, size_t *capacity, size_t size);
