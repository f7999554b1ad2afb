/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * screen - labelled lines of text, in which targets, figures and commands are marked.
 *
 * The terminal and the page show the same lines, each in its own way.
 */
#pragma once

#include "analyze/causal/causal.h"
#include "report/report.h"

#include <jansson.h>
#include <stdio.h>

#define SCREEN_LINES_MOST 48
#define SCREEN_PARTS_MOST 160

enum screen_kind {
	SCREEN_MEASURED,
	SCREEN_PROGRESS,
	SCREEN_GAIN,
	SCREEN_INSIDE, /* a gain in the one above it */
	SCREEN_WHY,    /* of the gain above it */
	SCREEN_NOTHING,
	SCREEN_TOGETHER,
	SCREEN_ORDER, /* of work: one of the next steps */
	SCREEN_LATENCY,
	SCREEN_CONTENTION,
	SCREEN_UNSURE,
	SCREEN_HOPELESS,
	SCREEN_UNANSWERED,
	SCREEN_LIMITS,
	SCREEN_SURER,
};

enum screen_mark {
	SCREEN_TEXT,
	SCREEN_TARGET,
	SCREEN_FIGURE,
	SCREEN_COMMAND,
};

struct screen_part {
	enum screen_mark mark;
	const struct causal_target *target; /* borrowed; NULL unless SCREEN_TARGET */
	char *text;                         /* clean */
};

struct screen_line {
	enum screen_kind kind;
	const char *label; /* static; "" continues the line above */
	unsigned depth;    /* of a place inside others */
	unsigned first, count;
};

struct screen {
	struct screen_line lines[SCREEN_LINES_MOST];
	struct screen_part parts[SCREEN_PARTS_MOST];
	unsigned line_count, part_count;
};

/* Begins a line; the parts that follow stand in it. */
void screen_line(struct screen *screen, enum screen_kind kind, const char *label, unsigned depth);
/* Takes the text. */
void screen_take(struct screen *screen, enum screen_mark mark, char *text);
void screen_take_target(struct screen *screen, const struct causal_target *target, char *text);
void screen_release(struct screen *screen);

void screen_print(FILE *out, const struct screen *screen, const struct report_options *options);
/* Drops the lines that matter least until it prints at most so many rows. */
void screen_fit(struct screen *screen, const struct report_options *options, unsigned rows);
/* An array of lines; targets are places in the profile's array of targets. */
json_t *screen_json(const struct screen *screen, const struct causal *causal);
