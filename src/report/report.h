/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report - a profile as text, JSON, an HTML page and other formats.
 *
 * Writers to a FILE; they never fail but for the FILE itself (the caller checks ferror).
 */
#pragma once

#include "analyze/causal/causal.h"
#include "analyze/samples/samples.h"
#include "analyze/scale/scale.h"
#include "analyze/timeline/timeline.h"

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

/* ---- of samples ---- */

enum report_tree { REPORT_NO_TREE, REPORT_TREE_CALLEES, REPORT_TREE_CALLERS };

struct report_samples_options {
	struct report_options layout;
	enum samples_group group;
	enum report_tree tree; /* instead of the table */
	double least;          /* of a tree: branches with a smaller share are left out */
};

void report_samples_text(FILE *out, const struct recording *recording,
			 const struct samples *samples,
			 const struct report_samples_options *options);
void report_samples_json(FILE *out, const struct recording *recording,
			 const struct samples *samples);
/* As report_html. */
void report_samples_html(FILE *out, const struct recording *recording,
			 const struct samples *samples);
/* A line for each chain, "command;outermost;...;innermost MICROSECONDS", for flame graphs. */
void report_samples_folded(FILE *out, const struct samples *samples);
/* For `go tool pprof` and its like: binary. */
void report_samples_pprof(FILE *out, const struct recording *recording,
			  const struct samples *samples);
/* For speedscope.app. */
void report_samples_speedscope(FILE *out, const struct recording *recording,
			       const struct samples *samples);
/* For profiler.firefox.com. */
void report_samples_firefox(FILE *out, const struct recording *recording,
			    const struct samples *samples);

/* ---- of timelines ---- */

void report_timeline_text(FILE *out, const struct recording *recording,
			  const struct timeline *timeline, const struct report_options *options);
void report_timeline_json(FILE *out, const struct recording *recording,
			  const struct timeline *timeline);
/* As report_html. */
void report_timeline_html(FILE *out, const struct recording *recording,
			  const struct timeline *timeline);
void report_timeline_csv(FILE *out, const struct timeline *timeline); /* a row for each span */
void report_timeline_perfetto(FILE *out, const struct timeline *timeline);
void report_timeline_chrome(FILE *out, const struct timeline *timeline);

/* ---- of lever scale ---- */

void report_scale_text(FILE *out, const struct recording *recording, const struct scale *scale,
		       const struct report_options *options);
void report_scale_json(FILE *out, const struct recording *recording, const struct scale *scale);
/* As report_html. */
void report_scale_html(FILE *out, const struct recording *recording, const struct scale *scale);
void report_scale_csv(FILE *out, const struct scale *scale);
