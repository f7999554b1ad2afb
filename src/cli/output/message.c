/* SPDX-License-Identifier: BSD-2-Clause */
/* message - "lever: " and a sentence, as one line. */
#include "cli/output/message.h"

#include <stdarg.h>
#include <stdio.h>

int message_error(const struct error *error, enum exit_code exit_code)
{
	return message_print(exit_code, "%s", error->text);
}

int message_print(enum exit_code exit_code, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	flockfile(stderr);
	fputs("lever: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	funlockfile(stderr);
	va_end(arguments);
	return exit_code;
}
