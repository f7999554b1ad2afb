/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * protobuf - writes protocol buffers: numbers, texts and nested messages.
 * https://protobuf.dev/programming-guides/encoding/
 */
#pragma once

#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>

struct protobuf {
	unsigned char *items;
	size_t count, capacity;
};

void protobuf_clear(struct protobuf *message); /* empties it for the next message */
void protobuf_release(struct protobuf *message);
void protobuf_add_number(struct protobuf *message, unsigned field, uint64_t value);
void protobuf_add_fixed(struct protobuf *message, unsigned field, uint64_t value); /* 64 bits */
void protobuf_add_text(struct protobuf *message, unsigned field, const char *text);
void protobuf_add_message(struct protobuf *message, unsigned field, const struct protobuf *part);
/* Writes a message as a field of the whole file. */
void protobuf_write(FILE *out, unsigned field, const struct protobuf *message);
/* Repeated numbers in one field. */
void protobuf_add_packed(struct protobuf *message, unsigned field, const uint64_t *values,
			 size_t count);
/* The message as a gzip file (RFC 1952). */
void protobuf_write_gzip(FILE *out, const struct protobuf *message);
