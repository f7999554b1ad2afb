/* SPDX-License-Identifier: BSD-2-Clause */
/* error - formats and stores the sentence. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Appends at `length`; text that has no room is cut. */
static void append(struct error *error, size_t length, const char *text)
{
	for (; length + 1 < sizeof(error->text) && *text; text++)
		error->text[length++] = *text;
	if (length < sizeof(error->text))
		error->text[length] = 0;
}

int error_set(struct error *error, int code, const char *format, ...)
{
	int negative = code > 0 ? -code : code;
	if (!error)
		return negative;
	error->code = negative;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return negative;
}

int error_add_remedy(struct error *error, const char *format, ...)
{
	char remedy[sizeof(error->text)];
	va_list arguments;

	if (strchr(error->text, ';'))
		return error->code;
	va_start(arguments, format);
	vsnprintf(remedy, sizeof(remedy), format, arguments);
	va_end(arguments);
	append(error, strlen(error->text), "; ");
	append(error, strlen(error->text), remedy);
	return error->code;
}

int error_add_place(struct error *error, const char *format, ...)
{
	char old[sizeof(error->text)];
	memcpy(old, error->text, sizeof(old));
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	append(error, length < 0 ? 0 : (size_t)length, ": ");
	append(error, strlen(error->text), old);
	return error->code;
}
