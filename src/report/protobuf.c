/* SPDX-License-Identifier: BSD-2-Clause */
/* protobuf - varints, and fields that say how long they are. */
#include "report/protobuf.h"

#include <assert.h>
#include <string.h>
#include <zlib.h>

enum wire_type { WIRE_VARINT = 0, WIRE_LENGTH = 2 };

#define GZIP_WINDOW_BITS (15 + 16)
#define MEMORY_LEVEL 9
#define ROOM 65536

void protobuf_clear(struct protobuf *message)
{
	message->count = 0;
}

void protobuf_release(struct protobuf *message)
{
	array_free(message);
}

static void add_varint(struct protobuf *message, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*array_add(message) = (unsigned char)(value | 0x80);
	*array_add(message) = (unsigned char)value;
}

static void add_bytes(struct protobuf *message, const void *bytes, size_t size)
{
	const unsigned char *each = bytes;
	for (size_t i = 0; i < size; i++)
		*array_add(message) = each[i];
}

static void add_length(struct protobuf *message, unsigned field, size_t size)
{
	add_varint(message, field << 3 | WIRE_LENGTH);
	add_varint(message, size);
}

void protobuf_add_number(struct protobuf *message, unsigned field, uint64_t value)
{
	add_varint(message, field << 3 | WIRE_VARINT);
	add_varint(message, value);
}

void protobuf_add_text(struct protobuf *message, unsigned field, const char *text)
{
	add_length(message, field, strlen(text));
	add_bytes(message, text, strlen(text));
}

void protobuf_add_message(struct protobuf *message, unsigned field, const struct protobuf *inner)
{
	add_length(message, field, inner->count);
	add_bytes(message, inner->items, inner->count);
}

void protobuf_add_packed(struct protobuf *message, unsigned field, const uint64_t *values,
			 size_t count)
{
	size_t size = 0;
	for (size_t i = 0; i < count; i++) {
		size++;
		for (uint64_t rest = values[i] >> 7; rest; rest >>= 7)
			size++;
	}
	add_length(message, field, size);
	for (size_t i = 0; i < count; i++)
		add_varint(message, values[i]);
}

void protobuf_write_gzip(FILE *out, const struct protobuf *message)
{
	unsigned char room[ROOM];
	z_stream stream = {.next_in = message->items, .avail_in = (uInt)message->count};
	assert(message->count < UINT32_MAX);
	int code = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW_BITS,
				MEMORY_LEVEL, Z_DEFAULT_STRATEGY);
	assert(code == Z_OK);
	while (code != Z_STREAM_END) {
		stream.next_out = room;
		stream.avail_out = sizeof(room);
		code = deflate(&stream, Z_FINISH);
		fwrite(room, 1, sizeof(room) - stream.avail_out, out);
	}
	deflateEnd(&stream);
}
