/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_marker - parses texts that programs write to the kernel's trace_marker, in Android's form:
 *
 *	B|PID|NAME  E|PID            a span of the thread begins; its innermost ends
 *	C|PID|NAME|VALUE             a counter
 *	I|PID|NAME  N|PID|TRACK|NAME an instant
 *	S|PID|NAME|ID  F|PID|NAME|ID work that begins and ends anywhere
 *	G|PID|TRACK|NAME|ID  H|PID|TRACK|NAME|ID  H|PID|TRACK|ID
 *
 * Any other text is an instant with the text as its name.
 */
#pragma once

#include "profile/chunk.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_marker {
	enum mark_kind kind;
	const char *name; /* in the text that was read; of MARK_END NULL: the innermost span */
	size_t name_length;
	uint64_t value; /* of a counter (signed), or the id */
};

/* False if there is nothing in the text. */
bool trace_marker_parse(const char *text, size_t size, struct trace_marker *marker);
