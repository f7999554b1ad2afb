/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * error - why something failed, as one sentence for the user.
 *
 * A function that can fail returns 0 or a negative errno and takes `struct error *error` last.
 * The function that knows most sets the sentence; its callers return at once, or add a place.
 * Only the command line prints errors.
 */
#pragma once

struct error {
	int code; /* 0, or a negative errno */
	char text[1024];
};

/* Stores the code, made negative, and the sentence; returns the code. `error` may be NULL. */
int error_set(struct error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "; remedy" behind the sentence, unless it has one; returns the stored code. */
int error_add_remedy(struct error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Puts "place: " before the sentence; returns the stored code. */
int error_add_place(struct error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
