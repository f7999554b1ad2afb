/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report - a causal profile as text, JSON, an HTML page, CSV and coz's format.
 *
 * Writers to a FILE; they never fail but for the FILE itself (the caller checks ferror).
 */
#pragma once

#include "analyze/causal.h"

#include <stdio.h>

struct report_options {
	bool colour;      /* terminal colours */
	unsigned columns; /* width of the terminal, or 100; taken as 60 to 132 */
	unsigned most;    /* targets in the table, 0: all */
};

void report_text(FILE *out, const struct recording *recording, const struct causal *causal,
		 const struct report_options *options);
void report_json(FILE *out, const struct recording *recording, const struct causal *causal);
/* Only where report_has_html: was the page made when this program was built? */
void report_html(FILE *out, const struct recording *recording, const struct causal *causal);
bool report_has_html(void);
void report_csv(FILE *out, const struct causal *causal);
void report_coz(FILE *out, const struct recording *recording);
