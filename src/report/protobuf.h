/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * protobuf - messages in the wire format of Protocol Buffers, written into memory.
 *
 * A field whose value is 0 or empty may be left out by its writer: readers take it so (proto3).
 */
#pragma once

#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>

struct protobuf {
	unsigned char *items;
	size_t count, capacity;
};

void protobuf_clear(struct protobuf *message); /* for the next one */
void protobuf_release(struct protobuf *message);

/* int64, uint64, bool, enum */
void protobuf_add_number(struct protobuf *message, unsigned field, uint64_t value);
void protobuf_add_text(struct protobuf *message, unsigned field, const char *text);
void protobuf_add_message(struct protobuf *message, unsigned field, const struct protobuf *inner);
/* Repeated numbers in one field. */
void protobuf_add_packed(struct protobuf *message, unsigned field, const uint64_t *values,
			 size_t count);
/* As a gzip file (RFC 1952). */
void protobuf_write_gzip(FILE *out, const struct protobuf *message);
