/* SPDX-License-Identifier: BSD-2-Clause */
/* csv - texts in files of comma-separated values (RFC 4180). */
#pragma once

#include <stdio.h>

/*
 * In quotes, as valid UTF-8. A text that a spreadsheet would take for a formula gets an apostrophe
 * in front. NULL is the empty text.
 */
void csv_write_text(FILE *out, const char *text);
/* A comma and the number; nothing behind the comma if it is not finite. */
void csv_write_next_number(FILE *out, double number);
