/* SPDX-License-Identifier: BSD-2-Clause */
/* message - "lever: " and a sentence, as one line. */
#include "cli/output/message.h"

#include "base/cleanup.h"
#include "report/display.h"

#include <stdio.h>

int message_error(const struct error *error, enum exit_code exit_code)
{
	return message_print(exit_code, "%s", error->text);
}

void message_write(const char *format, va_list arguments)
{
	char *text = NULL;

	if (vasprintf(&text, format, arguments) < 0)
		return;
	AUTO(text) char *clean = display_clean_lines(text);
	fprintf(stderr, "lever: %s\n", clean);
	free(text);
}

int message_print(enum exit_code exit_code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	message_write(format, arguments);
	va_end(arguments);
	return exit_code;
}
