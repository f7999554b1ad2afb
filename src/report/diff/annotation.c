/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * annotation - a workflow command of GitHub Actions: "::error file=F,line=N,title=T::MESSAGE".
 *
 * Line breaks and percent signs are written as %XX, in properties also colons and commas. Paths
 * are relative to the folder that Lever runs in, as annotations need them.
 */
#include "base/cleanup.h"
#include "base/text.h"
#include "report/diff/diff_report.h"
#include "report/display.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

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

static const char *relative(const char *file)
{
	char folder[PATH_MAX];

	if (!getcwd(folder, sizeof(folder)) || !text_starts_with(file, folder) ||
	    file[strlen(folder)] != '/')
		return file;
	return file + strlen(folder) + 1;
}

void diff_annotation_write(FILE *out, const char *level, const char *file, unsigned line,
			   const char *sentence)
{
	fprintf(out, "::%s ", level);
	if (file) {
		fputs("file=", out);
		write_escaped(out, relative(file), "%:,");
		if (line)
			fprintf(out, ",line=%u", line);
		fputc(',', out);
	}
	fputs("title=lever diff::", out);
	write_escaped(out, sentence, "%");
	fputc('\n', out);
}
