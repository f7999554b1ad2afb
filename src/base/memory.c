/* SPDX-License-Identifier: BSD-2-Clause */
/* memory - allocation that exits with a message instead of failing. */
#include "base/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE_PAGE (2ul << 20)

static void *memory_checked(void *memory)
{
	if (memory)
		return memory;
	fputs("lever: out of memory; what was recorded so far is in the profile file\n", stderr);
	exit(1);
}

void *memory_new(size_t count, size_t size)
{
	return memory_checked(calloc(count ? count : 1, size ? size : 1));
}

void *memory_new_large(size_t count, size_t size)
{
	char *memory = memory_new(count, size);
	uintptr_t mask = LARGE_PAGE - 1;
	uintptr_t start = ((uintptr_t)memory + mask) & ~mask;
	uintptr_t end = ((uintptr_t)memory + count * size) & ~mask;

	if (end > start)
		madvise((void *)start, end - start, MADV_HUGEPAGE);
	return memory;
}

void *memory_resize(void *old, size_t count, size_t size)
{
	return memory_checked(reallocarray(old, count ? count : 1, size ? size : 1));
}

char *text_copy(const char *text)
{
	return text ? memory_checked(strdup(text)) : NULL;
}

char *text_format(const char *format, ...)
{
	char *text = NULL;
	va_list arguments;
	va_start(arguments, format);
	int length = vasprintf(&text, format, arguments);
	va_end(arguments);
	return memory_checked(length < 0 ? NULL : text);
}

void *memory_array_grow(void *items, size_t *count, size_t *capacity, size_t size)
{
	if (*count == *capacity) {
		*capacity = *capacity ? *capacity * 2 : 8;
		items = memory_resize(items, *capacity, size);
	}
	memset((char *)items + *count * size, 0, size);
	++*count;
	return items;
}

void text_add_line(char **text, char *line)
{
	char *longer = NULL;

	if (line && !(*text && strstr(*text, line)))
		longer = *text ? text_format("%s\n%s", *text, line) : text_copy(line);
	free(line);
	if (!longer)
		return;
	free(*text);
	*text = longer;
}
