/* SPDX-License-Identifier: BSD-2-Clause */
/* message - diagnostics on stderr, and exit codes. Results go to stdout. */
#pragma once

#include "base/error.h"

#include <stdarg.h>

/* In lever(1). The program's own exit code is reported and kept in the profile. */
enum exit_code {
	EXIT_ANSWERED = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NO_ANSWER = 3,        /* ran, but the data do not support an answer */
	EXIT_SLOWER = 4,           /* lever diff --fail-if-slower */
	EXIT_CANNOT_EXECUTE = 126, /* the program is there, but cannot be started */
	EXIT_NOT_FOUND = 127,      /* there is no such program */
};

#define MESSAGE_NO_PAGE                                                      \
	"this lever was built without the HTML report; install Node.js and " \
	"npm, then run `make setup` and `make` again, or use another --format"

/* Prints "lever: sentence" and returns the exit code, so that a command can end with it. */
int message_error(const struct error *error, enum exit_code exit_code);
int message_print(enum exit_code exit_code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Names come from binaries and profiles: what could control a terminal becomes U+FFFD. */
void message_write(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));
