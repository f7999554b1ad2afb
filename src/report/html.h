/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * html - a page that needs nothing else: web/ made the page, this adds the data.
 *
 * The data are {"report": the JSON report, and by kind "sources" (causal/sources.h), "samples"
 * (samples/page.h) or "timeline" (timeline/page.h)}, deflated without a header (RFC 1951), in
 * base64: so no name in them can be taken for markup.
 *
 *	html_begin(&html);
 *	(write the JSON report to html.data)
 *	html_key(&html, "samples");
 *	(write its value)
 *	html_end(&html, out);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct html_page {
	FILE *data;
	char *text;
	size_t size;
};

/* Does this program have a page? It was built without Node.js otherwise. */
bool html_is_built(void);
void html_begin(struct html_page *html);
void html_key(struct html_page *html, const char *key);
void html_end(struct html_page *html, FILE *out);
