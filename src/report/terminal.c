/* SPDX-License-Identifier: BSD-2-Clause */
/* terminal - styles, labelled lines, and line breaks at blanks. */
#include "report/terminal.h"

#include "base/cleanup.h"
#include "report/display.h"

#include <string.h>

#define COLUMNS_LEAST 60
#define COLUMNS_MOST 132 /* longer lines are hard to follow */

struct report_options terminal_fit(const struct report_options *given)
{
	struct report_options fitted = *given;
	fitted.columns = given->columns < COLUMNS_LEAST ? COLUMNS_LEAST :
			 given->columns > COLUMNS_MOST  ? COLUMNS_MOST :
							  given->columns;
	return fitted;
}

void terminal_style(FILE *out, const struct report_options *options, const char *style)
{
	if (options->colour)
		fprintf(out, "\033[%sm", style ? style : "0");
}

void terminal_label(FILE *out, const struct report_options *options, const char *label)
{
	terminal_style(out, options, "2");
	fprintf(out, "%-*s", TERMINAL_INDENT, label);
	terminal_style(out, options, NULL);
}

/* Cuts it off; a per cent sign stays with its number. */
static char *next_word(char **rest)
{
	char *word = strsep(rest, " ");

	while (word && *rest && **rest == '%') {
		char *sign = strsep(rest, " ");
		sign[-1] = ' ';
	}
	return word;
}

void terminal_wrapped(FILE *out, const char *text, size_t indent, size_t columns)
{
	AUTO(text) char *words = text_copy(text);
	size_t at = indent;
	char *rest = words;
	for (char *word; (word = next_word(&rest));) {
		size_t width = display_width(word);
		if (at > indent && at + 1 + width > columns) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			fputc(' ', out);
			at++;
		}
		fputs(word, out);
		at += width;
	}
	fputc('\n', out);
}
