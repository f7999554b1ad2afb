/* SPDX-License-Identifier: BSD-2-Clause */
/* chunk - variable-length numbers, times as differences, deflated by zlib. */
#include "profile/chunk.h"

#include <string.h>
#include <zlib.h>

#define NUMBER_BYTES_MOST 10
#define INFLATED_BYTES_MOST (256u << 20) /* chunks that are written stay far below */

/* ---- writing ---- */

static void make_room(struct chunk_writer *chunk_writer, size_t more)
{
	if (chunk_writer->bytes.count + more <= chunk_writer->bytes.capacity)
		return;
	chunk_writer->bytes.capacity = 2 * chunk_writer->bytes.capacity + 4096 + more;
	chunk_writer->bytes.items =
		memory_resize(chunk_writer->bytes.items, chunk_writer->bytes.capacity, 1);
}

static void put_number(struct chunk_writer *chunk_writer, uint64_t value)
{
	make_room(chunk_writer, NUMBER_BYTES_MOST);
	unsigned char *at = chunk_writer->bytes.items + chunk_writer->bytes.count;
	while (value >= 128) {
		*at++ = (unsigned char)(value | 128);
		value >>= 7;
	}
	*at++ = (unsigned char)value;
	chunk_writer->bytes.count = (size_t)(at - chunk_writer->bytes.items);
}

/* Zigzag: 0, -1, 1, -2 ... become 0, 1, 2, 3 ... */
static void put_signed(struct chunk_writer *chunk_writer, int64_t value)
{
	put_number(chunk_writer, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

static void put_time(struct chunk_writer *chunk_writer, uint64_t time_ns)
{
	if (!chunk_writer->events++)
		chunk_writer->start_ns = chunk_writer->last_ns = time_ns;
	put_signed(chunk_writer, (int64_t)(time_ns - chunk_writer->last_ns));
	chunk_writer->last_ns = time_ns;
}

void chunk_writer_add_switch(struct chunk_writer *chunk_writer, const struct switch_event *event)
{
	put_time(chunk_writer, event->time_ns);
	put_number(chunk_writer, event->kind | (unsigned)event->flags << 2);
	put_number(chunk_writer, event->tid);
	put_number(chunk_writer, event->other);
	put_number(chunk_writer, event->system_call == SWITCH_NO_CALL ? 0 : event->system_call + 1);
	if (event->kind == SWITCH_SWITCH)
		put_number(chunk_writer, event->state);
}

void chunk_writer_add_task(struct chunk_writer *chunk_writer, const struct task_event *event)
{
	size_t length = strnlen(event->name, sizeof(event->name) - 1);

	put_time(chunk_writer, event->time_ns);
	put_number(chunk_writer, event->kind);
	put_number(chunk_writer, event->tid);
	put_number(chunk_writer, event->pid);
	put_number(chunk_writer, event->parent);
	put_number(chunk_writer, length);
	make_room(chunk_writer, length);
	memcpy(chunk_writer->bytes.items + chunk_writer->bytes.count, event->name, length);
	chunk_writer->bytes.count += length;
}

void chunk_writer_add_interrupt(struct chunk_writer *chunk_writer,
				const struct interrupt_event *event)
{
	put_time(chunk_writer, event->time_ns);
	put_number(chunk_writer, event->is_entry);
	put_number(chunk_writer, event->cpu);
	put_number(chunk_writer, event->tid);
	put_number(chunk_writer, event->number);
}

#define MARK_HAS_VALUE 16u
#define MARK_IS_TEXT 32u

void chunk_writer_add_mark(struct chunk_writer *chunk_writer, const struct mark *mark)
{
	unsigned what = mark->kind | (mark->has_value ? MARK_HAS_VALUE : 0) |
			(mark->is_text ? MARK_IS_TEXT : 0);

	put_time(chunk_writer, mark->time_ns);
	put_number(chunk_writer, what);
	put_number(chunk_writer, mark->name_id);
	if (mark->has_value)
		put_signed(chunk_writer, (int64_t)mark->value);
}

unsigned char *chunk_writer_take(struct chunk_writer *chunk_writer, size_t *size)
{
	uLongf packed = compressBound(chunk_writer->bytes.count);
	unsigned char *bytes = memory_resize(NULL, packed, 1);

	/* It fails only without memory, where memory_resize ends the process first. */
	if (compress2(bytes, &packed, chunk_writer->bytes.items, chunk_writer->bytes.count, 1) !=
	    Z_OK)
		packed = 0;
	chunk_writer->bytes.count = 0;
	chunk_writer->events = 0;
	*size = packed;
	return bytes;
}

void chunk_writer_release(struct chunk_writer *chunk_writer)
{
	array_free(&chunk_writer->bytes);
}

/* ---- reading ---- */

bool chunk_open(struct chunk_reader *reader, const void *data, size_t size, uint64_t start_ns)
{
	z_stream stream = {.next_in = (unsigned char *)(uintptr_t)data, .avail_in = (uInt)size};
	size_t capacity = size * 6 + 1024;
	int code = Z_OK;

	*reader = (struct chunk_reader){.last_ns = start_ns};
	if (size > INFLATED_BYTES_MOST || inflateInit(&stream) != Z_OK)
		return false;
	while (code == Z_OK && capacity <= INFLATED_BYTES_MOST) {
		reader->bytes = memory_resize(reader->bytes, capacity, 1);
		stream.next_out = reader->bytes + stream.total_out;
		stream.avail_out = (uInt)(capacity - stream.total_out);
		code = inflate(&stream, Z_NO_FLUSH);
		capacity *= 2;
	}
	reader->size = stream.total_out;
	inflateEnd(&stream);
	if (code == Z_STREAM_END)
		return true;
	chunk_close(reader);
	return false;
}

void chunk_close(struct chunk_reader *reader)
{
	free(reader->bytes);
	reader->bytes = NULL;
	reader->size = reader->at = 0;
}

static uint64_t get_number(struct chunk_reader *reader)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && reader->at < reader->size; shift += 7) {
		unsigned char byte = reader->bytes[reader->at++];
		value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return value;
	}
	reader->is_damaged = true;
	return 0;
}

static int64_t get_signed(struct chunk_reader *reader)
{
	uint64_t value = get_number(reader);
	return (int64_t)(value >> 1 ^ -(value & 1));
}

static unsigned get_unsigned(struct chunk_reader *reader)
{
	uint64_t value = get_number(reader);
	if (value > UINT32_MAX)
		reader->is_damaged = true;
	return (unsigned)value;
}

static bool begin_event(struct chunk_reader *reader, uint64_t *time_ns)
{
	if (reader->is_damaged || reader->at >= reader->size)
		return false;
	reader->last_ns += (uint64_t)get_signed(reader);
	*time_ns = reader->last_ns;
	return true;
}

bool chunk_next_switch(struct chunk_reader *reader, struct switch_event *event)
{
	if (!begin_event(reader, &event->time_ns))
		return false;
	unsigned what = get_unsigned(reader);
	event->kind = what & 3;
	event->flags = (unsigned char)(what >> 2);
	event->tid = get_unsigned(reader);
	event->other = get_unsigned(reader);
	unsigned call = get_unsigned(reader);
	event->system_call = call ? call - 1 : SWITCH_NO_CALL;
	event->state = event->kind == SWITCH_SWITCH ? (unsigned char)get_unsigned(reader) : 0;
	if (!event->kind || event->kind > SWITCH_WAKE)
		reader->is_damaged = true;
	return !reader->is_damaged;
}

bool chunk_next_task(struct chunk_reader *reader, struct task_event *event)
{
	if (!begin_event(reader, &event->time_ns))
		return false;
	event->kind = get_unsigned(reader);
	event->tid = get_unsigned(reader);
	event->pid = get_unsigned(reader);
	event->parent = get_unsigned(reader);
	size_t length = get_unsigned(reader);
	if (!event->kind || event->kind > TASK_NAME || length >= sizeof(event->name) ||
	    length > reader->size - reader->at)
		reader->is_damaged = true;
	if (reader->is_damaged)
		return false;
	memset(event->name, 0, sizeof(event->name));
	memcpy(event->name, reader->bytes + reader->at, length);
	reader->at += length;
	return true;
}

bool chunk_next_interrupt(struct chunk_reader *reader, struct interrupt_event *event)
{
	if (!begin_event(reader, &event->time_ns))
		return false;
	event->is_entry = get_unsigned(reader);
	event->cpu = get_unsigned(reader);
	event->tid = get_unsigned(reader);
	event->number = get_unsigned(reader);
	return !reader->is_damaged;
}

bool chunk_next_mark(struct chunk_reader *reader, struct mark *mark)
{
	if (!begin_event(reader, &mark->time_ns))
		return false;
	unsigned what = get_unsigned(reader);
	mark->kind = what & 15;
	mark->has_value = what & MARK_HAS_VALUE;
	mark->is_text = what & MARK_IS_TEXT;
	mark->name_id = get_unsigned(reader);
	mark->value = mark->has_value ? (uint64_t)get_signed(reader) : 0;
	if (!mark->kind || mark->kind > MARK_PROCESS_NAME)
		reader->is_damaged = true;
	return !reader->is_damaged;
}
