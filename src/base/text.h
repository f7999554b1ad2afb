/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text - numbers and durations from texts, and the nearest name to a mistyped one.
 *
 * The text_to_* functions parse the whole text. They return false on trailing characters, on an
 * empty text and on overflow, and do not set the value then. Blanks are not skipped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NULL equals NULL only. */
bool text_equals(const char *a, const char *b);
bool text_starts_with(const char *text, const char *start);
bool text_to_unsigned(const char *text, uint64_t *value); /* decimal */
bool text_to_double(const char *text, double *value);     /* decimal and finite */
/* A number with its unit: 500ns, 250us, 1.5ms, 2s, 1m, 10min, 1h. At most 2^63 ns. */
bool text_to_duration_ns(const char *text, uint64_t *duration_ns);
/* 500B, 20kB, 300MB, 2GB, 1TB. */
bool text_to_size_bytes(const char *text, uint64_t *size_bytes);

/* Edit distance: letters to insert, delete, replace or swap with a neighbour. */
unsigned text_distance(const char *a, const char *b);
/*
 * What `text` was probably meant to be: the first name that begins with it (three letters or more),
 * or has it inside (four), else the nearest one; NULL if that is too far away.
 */
const char *text_nearest(const char *text, const char *const *names, size_t count);
