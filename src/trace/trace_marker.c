/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_marker - splits a text at its bars. A name that comes last may contain bars. */
#include "trace/trace_marker.h"

#include <string.h>

#define FIELDS_MOST 5

struct field {
	const char *text;
	size_t length;
};

/* At most `most` fields; the last one has the rest of the text. */
static unsigned split(const char *text, size_t size, struct field *fields, unsigned most)
{
	unsigned count = 0;
	const char *end = text + size;

	for (;;) {
		const char *bar = count + 1 < most ? memchr(text, '|', (size_t)(end - text)) : NULL;
		fields[count].text = text;
		fields[count++].length = (size_t)((bar ? bar : end) - text);
		if (!bar)
			return count;
		text = bar + 1;
	}
}

/* The whole field, as a decimal number with or without a sign. */
static bool read_number(const struct field *field, uint64_t *number)
{
	size_t at = field->length && (*field->text == '-' || *field->text == '+');
	uint64_t value = 0;

	if (at == field->length || field->length > 20)
		return false;
	for (; at < field->length; at++) {
		if (field->text[at] < '0' || field->text[at] > '9')
			return false;
		value = value * 10 + (uint64_t)(field->text[at] - '0');
	}
	*number = *field->text == '-' ? -value : value;
	return true;
}

static bool take(struct trace_marker *marker, enum mark_kind kind, const struct field *name)
{
	marker->kind = kind;
	marker->name = name->text;
	marker->name_length = name->length;
	return name->length > 0;
}

/* NAME|NUMBER: the name may contain bars, the number follows the last one. */
static bool read_pair(const struct field *rest, struct trace_marker *marker, enum mark_kind kind)
{
	struct field name = *rest, number;

	while (name.length && name.text[name.length - 1] != '|')
		name.length--;
	if (name.length < 2)
		return false;
	number.text = name.text + name.length;
	number.length = rest->length - name.length;
	name.length--;
	return read_number(&number, &marker->value) && take(marker, kind, &name);
}

static bool read_known(const char *text, size_t size, struct trace_marker *marker)
{
	struct field fields[FIELDS_MOST];
	unsigned count = split(text, size, fields, 3);
	const struct field *rest = &fields[2];

	if (fields[0].length != 1)
		return false;
	switch (*text) {
	case 'B':
		return count == 3 && take(marker, MARK_BEGIN, rest);
	case 'E':
		marker->kind = MARK_END;
		return count == 2 || (count == 1 && size == 1);
	case 'I':
		return count == 3 && take(marker, MARK_INSTANT, rest);
	case 'C':
		return count == 3 && read_pair(rest, marker, MARK_COUNTER);
	case 'S':
		return count == 3 && read_pair(rest, marker, MARK_FLOW_OUT);
	case 'F':
		return count == 3 && read_pair(rest, marker, MARK_FLOW_IN);
	case 'N':
		return split(text, size, fields, 4) == 4 && take(marker, MARK_INSTANT, &fields[3]);
	case 'G':
		return split(text, size, fields, 4) == 4 &&
		       read_pair(&fields[3], marker, MARK_FLOW_OUT);
	case 'H':
		/* Newer Android versions have no name here; the track stands for it. */
		return (split(text, size, fields, 4) == 4 &&
			read_pair(&fields[3], marker, MARK_FLOW_IN)) ||
		       (split(text, size, fields, 3) == 3 &&
			read_pair(&fields[2], marker, MARK_FLOW_IN));
	default:
		return false;
	}
}

bool trace_marker_parse(const char *text, size_t size, struct trace_marker *marker)
{
	size = strnlen(text, size);
	while (size && (text[size - 1] == '\n' || text[size - 1] == ' '))
		size--;
	*marker = (struct trace_marker){0};
	if (!size || read_known(text, size, marker))
		return size > 0;
	*marker = (struct trace_marker){.kind = MARK_INSTANT, .name = text, .name_length = size};
	return true;
}
