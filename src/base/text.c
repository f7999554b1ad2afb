/* SPDX-License-Identifier: BSD-2-Clause */
/* text - parses numbers, and finds nearest names. */
#include "base/text.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

bool text_equals(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool text_starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

bool text_to_unsigned(const char *text, uint64_t *value)
{
	if (!isdigit((unsigned char)text[0]))
		return false;
	char *end;
	errno = 0;
	unsigned long long number = strtoull(text, &end, 10);
	if (errno || *end)
		return false;
	*value = number;
	return true;
}

/* Reads digits with at most one point: no sign, exponent or hexadecimal. Returns the rest. */
static const char *read_decimal(const char *text, double *value)
{
	size_t length = strspn(text, "0123456789.");
	if (length == 0 || length > 40)
		return NULL;
	char digits[41], *end;
	memcpy(digits, text, length);
	digits[length] = 0;
	*value = strtod(digits, &end);
	return *end || end == digits ? NULL : text + length;
}

bool text_to_double(const char *text, double *value)
{
	bool negative = text[0] == '-';
	double number;
	const char *rest = read_decimal(text + negative, &number);
	if (!rest || *rest)
		return false;
	*value = negative ? -number : number;
	return true;
}

bool text_to_duration_ns(const char *text, uint64_t *duration_ns)
{
	static const struct {
		const char *name;
		double unit_ns;
	} units[] = {{"ns", 1},   {"us", 1e3},   {"ms", 1e6},  {"s", 1e9},
		     {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}};
	double number;
	const char *unit = read_decimal(text, &number);
	for (size_t i = 0; unit && i < sizeof(units) / sizeof(units[0]); i++) {
		double value_ns = number * units[i].unit_ns;
		if (strcmp(unit, units[i].name) || value_ns > 0x1p63)
			continue;
		*duration_ns = (uint64_t)(value_ns + 0.5);
		return true;
	}
	return false;
}

bool text_to_size_bytes(const char *text, uint64_t *size_bytes)
{
	static const struct {
		const char *name;
		double unit;
	} units[] = {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}};
	double number;
	const char *unit = read_decimal(text, &number);
	for (size_t i = 0; unit && i < sizeof(units) / sizeof(units[0]); i++) {
		double value = number * units[i].unit;
		if (strcmp(unit, units[i].name) || value > 0x1p63)
			continue;
		*size_bytes = (uint64_t)(value + 0.5);
		return true;
	}
	return false;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Optimal string alignment; three rows of the table are kept. */
unsigned text_distance(const char *a, const char *b)
{
	size_t length = strlen(b), width = length + 1;
	AUTO(text) char *memory = memory_new(3 * width, sizeof(unsigned));
	unsigned *rows = (unsigned *)(void *)memory;
	unsigned *before = rows, *last = rows + width, *now = rows + 2 * width;
	for (size_t j = 0; j <= length; j++)
		now[j] = (unsigned)j;
	for (size_t i = 1; a[i - 1]; i++) {
		unsigned *oldest = before;
		before = last;
		last = now;
		now = oldest;
		now[0] = (unsigned)i;
		for (size_t j = 1; j <= length; j++) {
			unsigned change = last[j - 1] + (a[i - 1] != b[j - 1]);
			now[j] = least(change, least(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
	}
	return now[length];
}

const char *text_nearest(const char *text, const char *const *names, size_t count)
{
	size_t length = strlen(text);
	const char *nearest = NULL;
	unsigned smallest = (unsigned)length / 3 + 2; /* names further away are not offered */
	for (size_t i = 0; i < count && length >= 3; i++)
		if (text_starts_with(names[i], text))
			return names[i];
	for (size_t i = 0; i < count && length >= 4; i++)
		if (strstr(names[i], text))
			return names[i];
	for (size_t i = 0; i < count; i++) {
		unsigned distance = text_distance(text, names[i]);
		if (distance < smallest) {
			smallest = distance;
			nearest = names[i];
		}
	}
	return nearest;
}
