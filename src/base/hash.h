/* SPDX-License-Identifier: BSD-2-Clause */
/* hash - FNV-1a with 64 bits. lever.h has its own copy, since it includes nothing of Lever. */
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
