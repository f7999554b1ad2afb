/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lsp - the sure answers as diagnostics of the Language Server Protocol 3.17, for editors.
 *
 * An array with the parameters of one textDocument/publishDiagnostics for each file. Gains have
 * severity 3 (information), contention 2 (warning). A range is the whole line; `data` is the
 * verdict as in the JSON report.
 */
#include "report/formats.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "report/causal/remarks.h"
#include "report/causal/verdict_json.h"
#include "report/json.h"
#include "report/source_path.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#define SEVERITY_WARNING 2
#define SEVERITY_INFORMATION 3
#define LINE_END INT32_MAX /* editors cut a range at the line's end */

/* "file:///home/me/main.c"; the protocol has absolute names only. */
static char *document_of(const char *path)
{
	char folder[PATH_MAX] = "";

	if (path[0] == '/' || !getcwd(folder, sizeof(folder)))
		return source_path_uri(path);
	AUTO(text) char *absolute = text_format("%s/%s", strcmp(folder, "/") ? folder : "", path);
	return source_path_uri(absolute);
}

static json_t *diagnostic_of(const struct remark *remark)
{
	bool is_gain = remark->verdict->outcome == OUTCOME_GAIN;
	int line = (int)remark->line - 1;

	return json_pack("{s{s{si si} s{si si}} si ss ss so so}", "range", "start", "line", line,
			 "character", 0, "end", "line", line, "character", LINE_END, "severity",
			 is_gain ? SEVERITY_INFORMATION : SEVERITY_WARNING, "code",
			 verdict_outcome_name(remark->verdict->outcome), "source", "lever",
			 "message", json_text(remark->sentence), "data",
			 verdict_json(remark->verdict));
}

static bool is_listed(const struct remarks *remarks, size_t count, const char *file)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(remarks->items[i].file, file))
			return true;
	return false;
}

void report_causal_lsp(FILE *out, const struct report *report)
{
	struct remarks remarks = remarks_of(report->causal);
	json_t *documents = json_array();

	for (size_t i = 0; i < remarks.count; i++) {
		const char *file = remarks.items[i].file;
		if (is_listed(&remarks, i, file))
			continue;
		json_t *diagnostics = json_array();
		for (size_t j = i; j < remarks.count; j++)
			if (!strcmp(remarks.items[j].file, file))
				json_array_append_new(diagnostics,
						      diagnostic_of(&remarks.items[j]));
		AUTO(text) char *uri = document_of(file);
		json_array_append_new(documents,
				      json_pack("{ss so}", "uri", uri, "diagnostics", diagnostics));
	}
	json_write(out, documents, JSON_INDENT(2));
	remarks_release(&remarks);
}
