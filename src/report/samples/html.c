/* SPDX-License-Identifier: BSD-2-Clause */
/* html - the page of samples: the JSON report without entries, and the entries as tables. */
#include "report/formats.h"

#include "report/html.h"
#include "report/json.h"
#include "report/samples/json.h"
#include "report/samples/page.h"

void report_samples_html(FILE *out, const struct report *report)
{
	struct html_page html;

	html_begin(&html);
	json_write(html.data, samples_json_head(report->recording, report->samples), JSON_COMPACT);
	html_key(&html, "samples");
	samples_page_write(html.data, report->samples);
	html_end(&html, out);
}
