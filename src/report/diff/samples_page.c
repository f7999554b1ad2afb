/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * samples_page - two recordings of samples as a page: a differential flame graph.
 *
 * Its report is that of the recording after the change, of another kind, with the comparison as
 * "diff"; the samples of both sides follow.
 */
#include "report/diff/json.h"

#include "report/html.h"
#include "report/samples/json.h"
#include "report/samples/page.h"

void diff_samples_html(FILE *out, const struct diff_report *report)
{
	const struct samples_pair *pair = report->samples;
	json_t *head =
		samples_json_head(pair->recordings[PROFILE_AFTER], pair->samples[PROFILE_AFTER]);
	struct html_page html;

	json_object_set_new(head, "kind", json_string("samples-diff"));
	json_object_set_new(head, "diff", diff_samples_json_tree(report));
	html_begin(&html);
	json_write(html.data, head, JSON_COMPACT);
	html_key(&html, "before");
	samples_page_write(html.data, pair->samples[PROFILE_BEFORE]);
	html_key(&html, "samples");
	samples_page_write(html.data, pair->samples[PROFILE_AFTER]);
	html_end(&html, out);
}
