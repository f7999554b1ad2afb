/* SPDX-License-Identifier: BSD-2-Clause */
/* report - the input of all formats, and the type of the functions that write them (formats.h). */
#pragma once

#include "analyze/causal/causal.h"
#include "analyze/samples/samples.h"
#include "analyze/scale/scale.h"
#include "analyze/timeline/timeline.h"

#include <stdio.h>

enum report_tree { REPORT_NO_TREE, REPORT_TREE_CALLEES, REPORT_TREE_CALLERS };

/* Of text reports. */
struct report_options {
	bool colour;      /* terminal colours */
	unsigned columns; /* width of the terminal, or 100; taken as 60 to 132 */
	unsigned most;    /* rows of a table, 0: all */
	bool is_brief;    /* causal: only the first screen */
	bool is_verbose;  /* causal: where the width of intervals comes from, too */
	/* Of samples: */
	enum samples_group group;
	enum report_tree tree; /* instead of the table */
	double share_least;    /* of a tree: branches with a smaller share are left out */
};

struct report {
	const struct recording *recording;
	struct causal *causal; /* of the analyses, the one of its kind; the others are NULL */
	struct samples *samples;
	struct timeline *timeline;
	struct scale *scale;
	struct report_options options;
};

/* A writer fails only if the FILE does: the caller checks ferror. */
typedef void report_writer(FILE *out, const struct report *report);

/* Runs the analysis. The filter is for samples; other kinds take NULL. */
void report_analyze(struct report *report, enum run_kind kind, const struct samples_filter *filter);
void report_release(struct report *report);
