/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text - reading numbers and durations from a user's words, and finding what he may have meant.
 *
 * The text_to_* functions read the whole text or nothing: they return false on anything left over,
 * on an empty text, on overflow, and leave the value alone then. Blanks are not skipped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool text_starts_with(const char *text, const char *start);
bool text_to_unsigned(const char *text, uint64_t *value); /* decimal */
bool text_to_double(const char *text, double *value);     /* decimal and finite */
/* A number with its unit: 500ns, 250us, 1.5ms, 2s, 1m. At most 2^63 ns. */
bool text_to_duration_ns(const char *text, uint64_t *duration_ns);

/* Smallest number of letters to add, drop, change or swap with a neighbour. */
unsigned text_distance(const char *a, const char *b);
/* The name nearest to `text` if it is near enough to be worth a suggestion, else NULL. */
const char *text_nearest(const char *text, const char *const *names, size_t count);
