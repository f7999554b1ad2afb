/* SPDX-License-Identifier: BSD-2-Clause */
/* html - the page of `lever scale`: the JSON report. */
#include "report/formats.h"

#include "report/html.h"

void report_scale_html(FILE *out, const struct report *report)
{
	struct html_page html;

	html_begin(&html);
	report_scale_json(html.data, report);
	html_end(&html, out);
}
