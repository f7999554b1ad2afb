/* SPDX-License-Identifier: BSD-2-Clause */
/* utf8 - one decoder, and a copy that replaces what it refuses. */
#include "base/utf8.h"

#include "base/memory.h"

#include <string.h>

size_t utf8_decode(const char *text, uint32_t *character)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char first = (unsigned char)text[0];
	size_t length = first < 0x80 ? 1 :
			first < 0xc0 ? 0 :
			first < 0xe0 ? 2 :
			first < 0xf0 ? 3 :
			first < 0xf8 ? 4 :
				       0;
	if (length <= 1) {
		*character = first;
		return length;
	}
	uint32_t value = first & (0xffu >> (length + 1));
	for (size_t i = 1; i < length; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | ((unsigned char)text[i] & 0x3f);
	}
	if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
		return 0;
	*character = value;
	return length;
}

char *utf8_valid(const char *text)
{
	if (!text)
		return NULL;
	char *result = memory_new(strlen(text) * (sizeof(UTF8_REPLACEMENT) - 1) + 1, 1);
	char *end = result;
	while (*text) {
		uint32_t character;
		size_t length = utf8_decode(text, &character);
		end = length ? mempcpy(end, text, length) : stpcpy(end, UTF8_REPLACEMENT);
		text += length ? length : 1;
	}
	return result;
}
