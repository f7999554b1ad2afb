/* SPDX-License-Identifier: BSD-2-Clause */
/* html - the page of a timeline: the JSON report, and the events as tables. */
#include "report/formats.h"

#include "report/html.h"
#include "report/timeline/page.h"

void report_timeline_html(FILE *out, const struct report *report)
{
	struct html_page html;

	html_begin(&html);
	report_timeline_json(html.data, report);
	html_key(&html, "timeline");
	timeline_page_write(html.data, report->timeline);
	html_end(&html, out);
}
