/* SPDX-License-Identifier: BSD-2-Clause */
/* protobuf - keys, variable-length numbers and lengths; gzip around the whole. */
#include "report/protobuf.h"

#include <assert.h>
#include <string.h>
#include <zlib.h>

#define WIRE_NUMBER 0u
#define WIRE_FIXED 1u
#define WIRE_BYTES 2u
#define NUMBER_BYTES_MOST 10
#define GZIP_WINDOW_BITS (15 + 16)
#define GZIP_MEMORY_LEVEL 9
#define GZIP_ROOM 65536

void protobuf_clear(struct protobuf *message)
{
	message->count = 0;
}

void protobuf_release(struct protobuf *message)
{
	array_free(message);
}

static unsigned char *room(struct protobuf *message, size_t more)
{
	if (message->count + more > message->capacity) {
		message->capacity = 2 * message->capacity + more + 64;
		message->items = memory_resize(message->items, message->capacity, 1);
	}
	return message->items + message->count;
}

static size_t encode(unsigned char *bytes, uint64_t value)
{
	size_t count = 0;

	for (; value >= 128; value >>= 7)
		bytes[count++] = (unsigned char)(value | 128);
	bytes[count++] = (unsigned char)value;
	return count;
}

static void put(struct protobuf *message, uint64_t value)
{
	message->count += encode(room(message, NUMBER_BYTES_MOST), value);
}

static void put_bytes(struct protobuf *message, const void *bytes, size_t count)
{
	if (count)
		memcpy(room(message, count), bytes, count);
	message->count += count;
}

void protobuf_add_number(struct protobuf *message, unsigned field, uint64_t value)
{
	put(message, field << 3 | WIRE_NUMBER);
	put(message, value);
}

void protobuf_add_fixed(struct protobuf *message, unsigned field, uint64_t value)
{
	unsigned char bytes[8];

	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(value >> 8 * i);
	put(message, field << 3 | WIRE_FIXED);
	put_bytes(message, bytes, sizeof(bytes));
}

void protobuf_add_text(struct protobuf *message, unsigned field, const char *text)
{
	put(message, field << 3 | WIRE_BYTES);
	put(message, strlen(text));
	put_bytes(message, text, strlen(text));
}

void protobuf_add_message(struct protobuf *message, unsigned field, const struct protobuf *part)
{
	put(message, field << 3 | WIRE_BYTES);
	put(message, part->count);
	put_bytes(message, part->items, part->count);
}

void protobuf_write(FILE *out, unsigned field, const struct protobuf *message)
{
	unsigned char head[2 * NUMBER_BYTES_MOST];
	size_t count = encode(head, field << 3 | WIRE_BYTES);

	count += encode(head + count, message->count);
	fwrite(head, 1, count, out);
	fwrite(message->items, 1, message->count, out);
}

void protobuf_add_packed(struct protobuf *message, unsigned field, const uint64_t *values,
			 size_t count)
{
	unsigned char bytes[NUMBER_BYTES_MOST];
	size_t size = 0;

	for (size_t i = 0; i < count; i++)
		size += encode(bytes, values[i]);
	put(message, field << 3 | WIRE_BYTES);
	put(message, size);
	for (size_t i = 0; i < count; i++)
		put(message, values[i]);
}

void protobuf_write_gzip(FILE *out, const struct protobuf *message)
{
	unsigned char bytes[GZIP_ROOM];
	z_stream stream = {.next_in = message->items, .avail_in = (uInt)message->count};
	assert(message->count < UINT32_MAX);
	int code = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW_BITS,
				GZIP_MEMORY_LEVEL, Z_DEFAULT_STRATEGY);
	assert(code == Z_OK);
	while (code != Z_STREAM_END) {
		stream.next_out = bytes;
		stream.avail_out = sizeof(bytes);
		code = deflate(&stream, Z_FINISH);
		fwrite(bytes, 1, sizeof(bytes) - stream.avail_out, out);
	}
	deflateEnd(&stream);
}
