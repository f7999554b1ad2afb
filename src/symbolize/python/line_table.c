/* SPDX-License-Identifier: BSD-2-Clause */
/* line_table - decodes a location table; columns are skipped. */
#include "symbolize/python/line_table.h"

#include "base/memory.h"

#include <stdbool.h>

#define UNIT_BYTES 2 /* of bytecode */
#define ENTRY_BIT 0x80u
#define CODE_ONE_LINE 10u
#define CODE_NO_COLUMNS 13u
#define CODE_LONG 14u
#define CODE_NONE 15u

struct reader {
	const uint8_t *at, *end;
};

struct line_list {
	struct python_line *items;
	size_t count, capacity;
};

static uint32_t read_number(struct reader *reader)
{
	uint32_t number = 0;

	for (unsigned shift = 0; reader->at < reader->end; shift += 6) {
		uint8_t byte = *reader->at++;
		if (shift < 32)
			number |= (uint32_t)(byte & 0x3f) << shift;
		if (!(byte & 0x40))
			break;
	}
	return number;
}

static int64_t read_signed(struct reader *reader)
{
	uint32_t number = read_number(reader);
	return number & 1 ? -(int64_t)(number >> 1) : (int64_t)(number >> 1);
}

/* The change of the line; the columns of the entry are passed over. */
static int64_t read_delta(struct reader *reader, unsigned code)
{
	int64_t delta = 0;

	if (code == CODE_LONG) {
		delta = read_signed(reader);
		for (int i = 0; i < 3; i++)
			read_number(reader);
	} else if (code == CODE_NO_COLUMNS) {
		delta = read_signed(reader);
	} else if (code >= CODE_ONE_LINE && code < CODE_NO_COLUMNS) {
		delta = code - CODE_ONE_LINE;
		reader->at += 2;
	} else if (code < CODE_ONE_LINE) {
		reader->at += 1;
	}
	return delta;
}

static void add(struct line_list *list, uint32_t start, uint32_t end, uint32_t line)
{
	struct python_line *last = list->count ? &list->items[list->count - 1] : NULL;

	if (start >= end)
		return;
	if (last && last->line == line)
		last->end = end;
	else
		*array_add(list) = (struct python_line){.start = start, .end = end, .line = line};
}

size_t python_lines_read(const uint8_t *table, size_t table_bytes, uint32_t first_line,
			 uint32_t bytes, struct python_line **lines)
{
	struct reader reader = {.at = table, .end = table + table_bytes};
	struct line_list list = {0};
	int64_t line = first_line;
	uint32_t start = 0, shown = first_line;

	while (reader.at < reader.end && start < bytes && *reader.at & ENTRY_BIT) {
		unsigned head = *reader.at++, code = head >> 3 & 15;
		uint32_t length = ((head & 7) + 1) * UNIT_BYTES;
		line += read_delta(&reader, code);
		if (reader.at > reader.end)
			break;
		if (code != CODE_NONE && line > 0 && line <= INT32_MAX)
			shown = (uint32_t)line;
		uint32_t end = length < bytes - start ? start + length : bytes;
		add(&list, start, end, shown);
		start = end;
	}
	add(&list, start, bytes, first_line);
	*lines = list.items;
	return list.count;
}
