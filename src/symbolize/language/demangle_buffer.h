/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle_buffer - joins the parts that libiberty's demanglers return.
 *
 * Of libiberty only cp-demangle.o and rust-demangle.o are linked (through their callback forms).
 * Both carry the exception that allows to link them into anything ("unlimited permission to link
 * the compiled version of this file into combinations with other programs, and to distribute
 * those combinations without any restriction"). Neither allocates; both bound their recursion.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct demangle_buffer {
	char *text;
	size_t length, capacity;
	bool is_overlong;
};

/* A demangle_callbackref of libiberty; `buffer` is a struct demangle_buffer. */
void demangle_buffer_append(const char *part, size_t length, void *buffer);
/* The text, to be freed; NULL if it was not understood, is empty or too long. */
char *demangle_buffer_take(struct demangle_buffer *buffer, bool is_understood);
