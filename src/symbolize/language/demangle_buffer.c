/* SPDX-License-Identifier: BSD-2-Clause */
/* demangle_buffer - a growing text with a limit, at which the demangler is left by a jump. */
#include "symbolize/language/demangle_buffer.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

#define DEMANGLED_MOST_BYTES 65536

struct demangle_buffer {
	char *text;
	size_t length, capacity;
	jmp_buf overlong;
};

/* The demangler appends empty parts, too, without a text. */
static void append(const char *part, size_t length, void *context)
{
	struct demangle_buffer *buffer = context;

	if (!length)
		return;
	if (buffer->length + length >= DEMANGLED_MOST_BYTES)
		longjmp(buffer->overlong, 1);
	if (buffer->length + length >= buffer->capacity) {
		buffer->capacity = (buffer->length + length) * 2 + 64;
		buffer->text = memory_resize(buffer->text, buffer->capacity, 1);
	}
	memcpy(buffer->text + buffer->length, part, length);
	buffer->length += length;
	buffer->text[buffer->length] = '\0';
}

/* Returns whether the name was understood and is not too long. */
static bool run(demangle_function *demangle, const char *name, struct demangle_buffer *buffer)
{
	if (setjmp(buffer->overlong))
		return false;
	return demangle(name, DMGL_PARAMS | DMGL_ANSI, append, buffer);
}

char *demangle_buffer_run(demangle_function *demangle, const char *name)
{
	struct demangle_buffer buffer = {.text = NULL};

	if (run(demangle, name, &buffer))
		return take(&buffer.text);
	free(buffer.text);
	return NULL;
}
