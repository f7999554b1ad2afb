/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * annotation - a workflow command of GitHub Actions: "::error file=F,line=N,title=T::MESSAGE".
 *
 * Line breaks and percent signs are written as %XX, in properties also colons and commas. Paths
 * are relative to the folder that Lever runs in, as annotations need them.
 */
#include "base/cleanup.h"
#include "report/diff/diff_report.h"
#include "report/display.h"
#include "report/source_path.h"

#include <string.h>

static void write_escaped(FILE *out, const char *text, const char *escaped)
{
	AUTO(text) char *clean = display_clean(text);

	for (const char *at = clean; *at; at++) {
		if (strchr(escaped, *at))
			fprintf(out, "%%%02X", (unsigned)(unsigned char)*at);
		else
			fputc(*at, out);
	}
}

void diff_annotation_write(FILE *out, const char *level, const char *file, unsigned line,
			   const char *sentence)
{
	fprintf(out, "::%s ", level);
	if (file) {
		fputs("file=", out);
		write_escaped(out, source_path_relative(file), "%:,");
		if (line)
			fprintf(out, ",line=%u", line);
		fputc(',', out);
	}
	fputs("title=lever diff::", out);
	write_escaped(out, sentence, "%");
	fputc('\n', out);
}
