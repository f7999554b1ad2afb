/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * display - names and numbers as users read them.
 *
 * Names come from binaries and command lines and may hold any bytes. A text from here is valid
 * UTF-8 and cannot control a terminal. The caller frees it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Valid UTF-8 without control and direction-changing characters: each of these, and each byte
 * outside of a character, becomes U+FFFD. NULL becomes "?".
 */
char *display_clean(const char *text);
/* The same for a text of several lines: ends of lines and tabs stay. */
char *display_clean_lines(const char *text);

/* Columns of clean text: one per character. */
size_t display_width(const char *clean);
/* Clean text in at most `columns`: "compress_bl…", or with its end, "…ress_block". */
char *display_fit(const char *clean, size_t columns);
char *display_fit_end(const char *clean, size_t columns);

/* A word as typed in a shell; clean. */
char *display_argument(const char *word);
/* A program's arguments, of a JSON array, as typed in a shell; clean. */
char *display_command(const char *json);

char *display_count(uint64_t count);        /* 12,345 */
char *display_duration(double duration_ns); /* 250 µs; 32.4 s; 2 min 5 s */
char *display_rate(double per_second);      /* 381.0 */
/* A fraction as "+12.0 %" or "−3.1 %". */
char *display_gain(double fraction);
/* Takes a text of numbers, like "(-0.3 to 1.2)"; its minus signs become those of display_gain. */
char *display_minus(char *text);
