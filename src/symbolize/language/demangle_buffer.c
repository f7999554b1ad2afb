/* SPDX-License-Identifier: BSD-2-Clause */
/* demangle_buffer - a growing text with a limit. */
#include "symbolize/language/demangle_buffer.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <string.h>

#define DEMANGLED_MOST_BYTES 65536 /* of one name; crafted ones grow without end */

void demangle_buffer_append(const char *part, size_t length, void *buffer)
{
	struct demangle_buffer *result = buffer;

	if (result->length + length >= DEMANGLED_MOST_BYTES) {
		result->is_overlong = true;
		return;
	}
	if (result->length + length >= result->capacity) {
		result->capacity = (result->length + length) * 2 + 64;
		result->text = memory_resize(result->text, result->capacity, 1);
	}
	memcpy(result->text + result->length, part, length);
	result->length += length;
	result->text[result->length] = '\0';
}

char *demangle_buffer_take(struct demangle_buffer *buffer, bool is_understood)
{
	if (!is_understood || buffer->is_overlong) {
		free(buffer->text);
		return NULL;
	}
	return take(&buffer->text);
}
