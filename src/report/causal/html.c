/* SPDX-License-Identifier: BSD-2-Clause */
/* html - the page of a causal profile: the JSON report, and source lines around targets. */
#include "report/formats.h"

#include "report/causal/sources.h"
#include "report/html.h"
#include "report/json.h"

void report_causal_html(FILE *out, const struct report *report)
{
	struct html_page html;

	html_begin(&html);
	report_causal_json(html.data, report);
	html_key(&html, "sources");
	json_write(html.data, sources_of(report->recording, report->causal), JSON_COMPACT);
	html_end(&html, out);
}
