/* SPDX-License-Identifier: BSD-2-Clause */
/* hash - FNV-1a, 64 bits, of bytes; lever.h, which stands alone, has its own of the same kind. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hash_bytes(const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ at[i]) * 0x100000001b3u;
	return hash;
}

static inline uint64_t hash_text(const char *text)
{
	return hash_bytes(text, strlen(text));
}
