/* SPDX-License-Identifier: BSD-2-Clause */
/* utf8 - decoding UTF-8 that may be damaged, and repairing it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/*
 * Decodes the character at `text` (RFC 3629: no overlong forms, no surrogates, up to U+10FFFF).
 * Returns its length in bytes, or 0 if there is no valid one.
 */
size_t utf8_decode(const char *text, uint32_t *character);
/* A copy in which U+FFFD stands for each byte that is no part of a character. NULL stays NULL. */
char *utf8_valid(const char *text);
