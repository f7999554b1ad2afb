/* SPDX-License-Identifier: BSD-2-Clause */
/* csv - quotes, and the apostrophe before what looks like a formula. */
#include "report/csv.h"

#include "base/cleanup.h"

#include "base/utf8.h"
#include <math.h>

#include <string.h>

void csv_write_text(FILE *out, const char *text)
{
	AUTO(text) char *valid = utf8_valid(text ? text : "");

	fputs(*valid && strchr("=+-@\t\r", *valid) ? "\"'" : "\"", out);
	for (const char *at = valid; *at; at++) {
		if (*at == '"')
			fputc('"', out);
		fputc(*at, out);
	}
	fputc('"', out);
}

void csv_write_next_number(FILE *out, double number)
{
	if (isfinite(number))
		fprintf(out, ",%.6g", number);
	else
		fputc(',', out);
}
