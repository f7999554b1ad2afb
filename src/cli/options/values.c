/* SPDX-License-Identifier: BSD-2-Clause */
/* values - option setters. */
#include "cli/options/values.h"

#include "base/cleanup.h"
#include "base/text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

int value_set_flag(const struct option *option, void *field, const char *text, struct error *error)
{
	(void)option, (void)text, (void)error;
	*(bool *)field = true;
	return 0;
}

int value_set_text(const struct option *option, void *field, const char *text, struct error *error)
{
	if (!*text)
		return error_set(error, -EINVAL, "%s is empty", option->argument);
	*(const char **)field = text;
	return 0;
}

int value_add_text(const struct option *option, void *field, const char *text, struct error *error)
{
	if (!*text)
		return error_set(error, -EINVAL, "%s is empty", option->argument);
	*array_add((struct value_texts *)field) = text;
	return 0;
}

int value_add_pids(const struct option *option, void *field, const char *text, struct error *error)
{
	struct value_processes *processes = field;
	AUTO(text) char *copy = text_copy(text);
	char *rest = copy;

	(void)option;
	for (char *word; (word = strsep(&rest, ","));) {
		uint64_t pid;
		if (!text_to_unsigned(word, &pid) || !pid || pid > INT_MAX)
			return error_set(error, -EINVAL, "'%s' is not a process id", word);
		*array_add(processes) = (pid_t)pid;
	}
	return 0;
}

int value_add_list(const struct option *option, void *field, const char *text, struct error *error)
{
	AUTO(text) char *copy = text_copy(text);
	char *rest = copy;

	for (char *word; (word = strsep(&rest, ","));) {
		if (!*word)
			return error_set(error, -EINVAL, "%s is empty", option->argument);
		*array_add((struct value_texts *)field) = text_copy(word);
	}
	return 0;
}

void value_list_release(struct value_texts *list)
{
	for (size_t i = 0; i < list->count; i++)
		free((char *)(uintptr_t)list->items[i]);
	array_free(list);
}

int value_add_ports(const struct option *option, void *field, const char *text, struct error *error)
{
	AUTO(text) char *copy = text_copy(text);
	char *rest = copy;

	(void)option;
	for (char *word; (word = strsep(&rest, ","));) {
		uint64_t port;
		if (!text_to_unsigned(word, &port) || !port || port > UINT16_MAX)
			return error_set(error, -EINVAL, "'%s' is not a port from 1 to 65535",
					 word);
		*array_add((struct value_ports *)field) = (uint16_t)port;
	}
	return 0;
}

static int report_choices(const struct option *option, const char *text, struct error *error)
{
	AUTO(text) char *list = text_copy("");
	for (const char *const *choice = option->choices; *choice; choice++) {
		const char *comma = !*list ? "" : choice[1] ? ", " : " or ";
		char *longer = text_format("%s%s%s", list, comma, *choice);
		free(list);
		list = longer;
	}
	size_t count = 0;
	while (option->choices[count])
		count++;
	const char *nearest = text_nearest(text, option->choices, count);
	if (nearest)
		return error_set(error, -EINVAL, "'%s' is not one of %s; did you mean '%s'?", text,
				 list, nearest);
	return error_set(error, -EINVAL, "'%s' is not one of %s", text, list);
}

int value_set_choice(const struct option *option, void *field, const char *text,
		     struct error *error)
{
	for (int i = 0; option->choices[i]; i++) {
		if (strcmp(option->choices[i], text))
			continue;
		*(int *)field = i;
		return 0;
	}
	return report_choices(option, text, error);
}

int value_set_number(const struct option *option, void *field, const char *text,
		     struct error *error)
{
	(void)option;
	struct value_number *value = field;
	if (!text_to_unsigned(text, &value->number))
		return error_set(error, -EINVAL, "'%s' is not a whole number", text);
	value->is_given = true;
	return 0;
}

int value_set_count(const struct option *option, void *field, const char *text, struct error *error)
{
	(void)option;
	uint64_t count;
	if (!text_to_unsigned(text, &count) || count < 1 || count > 1000000)
		return error_set(error, -EINVAL, "'%s' is not a number from 1 to 1000000", text);
	*(unsigned *)field = (unsigned)count;
	return 0;
}

int value_set_seconds(const struct option *option, void *field, const char *text,
		      struct error *error)
{
	(void)option;
	double seconds;
	if (!text_to_double(text, &seconds) || seconds <= 0 || seconds > 1e9)
		return error_set(error, -EINVAL, "'%s' is not a number of seconds greater than 0",
				 text);
	*(double *)field = seconds;
	return 0;
}

int value_set_duration(const struct option *option, void *field, const char *text,
		       struct error *error)
{
	(void)option;
	uint64_t duration_ns;
	if (!text_to_duration_ns(text, &duration_ns) || duration_ns == 0)
		return error_set(error, -EINVAL, "'%s' is not a duration like 250us, 2s or 10min",
				 text);
	*(uint64_t *)field = duration_ns;
	return 0;
}

/* A number above 0, up to 100, that may end in `unit`. */
static bool read_hundredths(const char *text, const char *unit, double *value)
{
	char number[32] = "";
	size_t length = strlen(text), unit_length = strlen(unit);

	if (length > unit_length && !strcmp(text + length - unit_length, unit))
		length -= unit_length;
	if (length < sizeof(number))
		snprintf(number, sizeof(number), "%.*s", (int)length, text);
	return text_to_double(number, value) && *value > 0 && *value <= 100;
}

int value_set_percent(const struct option *option, void *field, const char *text,
		      struct error *error)
{
	(void)option;
	double percent;

	if (!read_hundredths(text, "%", &percent))
		return error_set(error, -EINVAL,
				 "'%s' is not a percentage above 0, up to 100, like 10%%", text);
	*(double *)field = percent / 100;
	return 0;
}

int value_set_size(const struct option *option, void *field, const char *text, struct error *error)
{
	(void)option;
	uint64_t size_bytes;
	if (!text_to_size_bytes(text, &size_bytes) || size_bytes == 0)
		return error_set(error, -EINVAL, "'%s' is not a size like 300MB or 2GB", text);
	*(uint64_t *)field = size_bytes;
	return 0;
}

int value_set_points(const struct option *option, void *field, const char *text,
		     struct error *error)
{
	(void)option;
	double points;

	if (!read_hundredths(text, "pp", &points))
		return error_set(error, -EINVAL,
				 "'%s' is not a number of percentage points, like 2pp or 0.5pp",
				 text);
	*(double *)field = points;
	return 0;
}

int value_check(const struct option *option, const char *text, struct error *error)
{
	static option_setter *const plain[] = {
		value_set_choice,   value_set_number,  value_set_count, value_set_seconds,
		value_set_duration, value_set_percent, value_set_size,  value_set_points,
	};
	union {
		int choice;
		unsigned count;
		uint64_t integer;
		double real;
		struct value_number number;
	} field = {0};

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (option->set == plain[i])
			return option->set(option, &field, text, error);
	return 0;
}
