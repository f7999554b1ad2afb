/* SPDX-License-Identifier: BSD-2-Clause */
/* verdict_table - fits the columns of the table to the terminal. */
#include "report/causal/verdict_table.h"

#include "analyze/causal/certainty.h"
#include "base/cleanup.h"
#include "report/display.h"
#include "report/terminal.h"

#include <math.h>
#include <string.h>

#define CURVE_CELLS 10   /* at speedups of 10, 20, ... 100 % */
#define CURVE_LEAST 0.05 /* gain of a full cell, at least, so that noise looks small */
#define VERDICT_LEAST 14 /* "if 25 % faster" */
#define RANK_COLUMNS 3
#define SHARE_COLUMNS 7
#define GAP 2
#define NAME_LEAST 8

struct layout {
	size_t name, detail, point, verdict, outcome; /* columns; point 0: not shown */
	const char *kind;                             /* kind of the targets */
	/* targets are functions: `detail` is their location, else their function */
	bool detail_is_place;
	double scale; /* gain of a full cell */
};

const char *verdict_outcome_style(enum verdict_outcome outcome)
{
	switch (outcome) {
	case OUTCOME_GAIN:
		return "32";
	case OUTCOME_CONTENTION:
		return "31";
	case OUTCOME_UNSURE:
		return "2";
	}
	return "0";
}

static const char *outcome_text(enum verdict_outcome outcome)
{
	switch (outcome) {
	case OUTCOME_GAIN:
		return "";
	case OUTCOME_CONTENTION:
		return "contention";
	case OUTCOME_UNSURE:
		return "no sure effect";
	}
	return "";
}

static char *detail_of(const struct recording_target *target, const struct layout *layout)
{
	if (!layout->detail_is_place)
		return target->function ? display_clean(target->function) : text_copy("");
	/* Without debug information only the binary is known. */
	const char *place = target->file ? target->file : target->object;
	if (!place)
		return text_copy("");
	const char *slash = strrchr(place, '/');
	AUTO(text) char *file = display_clean(slash ? slash + 1 : place);
	return target->file && target->line ? text_format("%s:%u", file, target->line) :
					      text_copy(file);
}

/* The gain at a speedup; NAN if nothing was measured near it. */
static double curve_at(const struct causal_effect *effect, unsigned cell)
{
	struct effect_point at;
	double speedup = (double)(cell + 1) / CURVE_CELLS;
	return certainty_effect_at(effect, speedup, &at) ? NAN : at.gain;
}

/* Is this cell the nearest one of a measured speedup? One in the middle counts for the upper. */
static bool is_cell_measured(const struct causal_effect *effect, unsigned cell)
{
	for (size_t i = 0; i < effect->count; i++)
		if (effect->points[i].speedup > 0 &&
		    lround(effect->points[i].speedup * CURVE_CELLS + 1e-9) == (long)cell + 1)
			return true;
	return false;
}

/* Up to U+2588, a full block; gains below 0 hang from the top. Fitted cells have dots. */
static const char *curve_cell(double gain, double scale, bool is_measured)
{
	static const char *const blocks[] = {"•", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const dots[] = {"\xc2\xb7", "⣀", "⣀", "⣀", "⣤", "⣤", "⣶", "⣶", "⣿"};
	if (isnan(gain))
		return " ";
	long eighths = lround(gain / scale * 8);
	if (eighths >= 0)
		return (is_measured ? blocks : dots)[eighths < 8 ? eighths : 8];
	if (eighths > -3)
		return is_measured ? "▔" : "⠉";
	return is_measured ? "▀" : "⠛";
}

static char *curve_of(const struct causal_effect *effect, double scale)
{
	char cells[CURVE_CELLS * 4 + 1], *end = cells;
	for (unsigned i = 0; i < CURVE_CELLS; i++)
		end = stpcpy(end,
			     curve_cell(curve_at(effect, i), scale, is_cell_measured(effect, i)));
	return text_copy(cells);
}

/* As in the sentences: a lower latency is a gain. */
static char *verdict_text(const struct target_verdict *verdict)
{
	bool is_latency = verdict->effect->point->kind == POINT_LATENCY;
	AUTO(text) char *gain = display_gain(is_latency ? -verdict->at.gain : verdict->at.gain);
	AUTO(text)
	char *elsewhere = verdict_is_at_other_speedup(verdict) ?
				  text_format(" at %.3g %%", verdict->at.speedup * 100) :
				  text_copy("");
	AUTO(text) char *interval = verdict_interval(verdict);
	return text_format("%s%s %s%s%s", verdict->is_measured ? "" : "~", gain, interval,
			   is_latency ? " latency" : "", elsewhere);
}

static bool is_shown(const struct target_verdict *verdict, const struct report_options *options)
{
	return !options->most || verdict->rank <= options->most;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void widen(struct layout *layout, const struct target_verdict *verdict)
{
	AUTO(text) char *name = display_clean(verdict->target->target->name);
	AUTO(text) char *detail = detail_of(verdict->target->target, layout);
	AUTO(text) char *point = display_clean(verdict->effect->point->name);
	layout->name = larger(layout->name, display_width(name));
	layout->detail = larger(layout->detail, display_width(detail));
	layout->point = larger(layout->point, display_width(point));
	AUTO(text) char *text = verdict_text(verdict);
	layout->verdict = larger(layout->verdict, display_width(text));
	layout->outcome = larger(layout->outcome, strlen(outcome_text(verdict->outcome)));
	for (unsigned i = 0; i < CURVE_CELLS; i++) {
		double gain = curve_at(verdict->effect, i);
		if (fabs(gain) > layout->scale)
			layout->scale = fabs(gain);
	}
}

/* Names get what the fixed columns leave; the widest is cut first. */
static void squeeze(struct layout *layout, size_t columns)
{
	size_t fixed = RANK_COLUMNS + SHARE_COLUMNS + CURVE_CELLS + layout->verdict +
		       layout->outcome + 6 * GAP + (layout->point ? GAP : 0);
	size_t space = columns > fixed + 3 * NAME_LEAST ? columns - fixed : 3 * NAME_LEAST;
	while (layout->name + layout->detail + layout->point > space) {
		size_t *widest = &layout->name;
		if (layout->detail > *widest)
			widest = &layout->detail;
		if (layout->point > *widest)
			widest = &layout->point;
		--*widest;
	}
}

/* "line", or "target" if there are several kinds. */
static const char *kind_of_all(const struct target_verdicts *verdicts)
{
	enum target_kind kind = verdicts->count ? verdicts->items[0].target->target->kind : 0;

	for (size_t i = 1; i < verdicts->count; i++)
		if (verdicts->items[i].target->target->kind != kind)
			return "target";
	return target_kind_name(kind);
}

static struct layout layout_of(const struct target_verdicts *verdicts,
			       const struct report_options *options)
{
	struct layout layout = {.name = NAME_LEAST,
				.verdict = VERDICT_LEAST,
				.detail_is_place = true,
				.scale = CURVE_LEAST};
	for (size_t i = 0; i < verdicts->count; i++)
		layout.detail_is_place &=
			verdicts->items[i].target->target->kind == TARGET_FUNCTION;
	layout.kind = kind_of_all(verdicts);
	layout.detail = strlen(layout.detail_is_place ? "where" : "function");
	layout.point = strlen("progress");
	for (size_t i = 0; i < verdicts->count; i++) {
		if (is_shown(&verdicts->items[i], options))
			widen(&layout, &verdicts->items[i]);
	}
	if (!verdicts->has_several_points)
		layout.point = 0;
	squeeze(&layout, options->columns);
	return layout;
}

/* Pads by characters; printf counts bytes. */
static void print_left(FILE *out, const char *clean, size_t columns)
{
	AUTO(text) char *fitted = display_fit(clean, columns);
	fprintf(out, "%s%*s", fitted, (int)(columns - display_width(fitted)) + GAP, "");
}

static void print_head(FILE *out, const struct layout *layout, const struct report_options *options)
{
	terminal_style(out, options, "1");
	fprintf(out, "%*s", RANK_COLUMNS, "#");
	fprintf(out, "%*s", GAP, "");
	print_left(out, layout->kind, layout->name);
	print_left(out, layout->detail_is_place ? "where" : "function", layout->detail);
	fprintf(out, "%*s%*s", SHARE_COLUMNS, "share", GAP, "");
	if (layout->point)
		print_left(out, "progress", layout->point);
	print_left(out, "10 … 100 %", CURVE_CELLS);
	fprintf(out, "if %.0f %% faster", VERDICT_SPEEDUP * 100);
	terminal_style(out, options, NULL);
	fputc('\n', out);
}

static void print_target(FILE *out, const struct target_verdict *verdict,
			 const struct layout *layout)
{
	if (!verdict->is_first) {
		fprintf(out, "%*s",
			(int)(RANK_COLUMNS + SHARE_COLUMNS + layout->name + layout->detail) +
				4 * GAP,
			"");
		return;
	}
	AUTO(text) char *name = display_clean(verdict->target->target->name);
	AUTO(text) char *detail = detail_of(verdict->target->target, layout);
	/* The end of a location is kept, with its line; of a function the beginning. */
	bool name_is_place = verdict->target->target->kind == TARGET_LINE;
	AUTO(text) char *name_end = display_fit_end(name, layout->name);
	AUTO(text) char *detail_end = display_fit_end(detail, layout->detail);
	fprintf(out, "%*u%*s", RANK_COLUMNS, verdict->rank, GAP, "");
	print_left(out, name_is_place ? name_end : name, layout->name);
	print_left(out, layout->detail_is_place ? detail_end : detail, layout->detail);
	fprintf(out, "%*.1f %%%*s", SHARE_COLUMNS - 2, verdict->target->share * 100, GAP, "");
}

static void print_verdict(FILE *out, const struct target_verdict *verdict,
			  const struct layout *layout, const struct report_options *options)
{
	print_target(out, verdict, layout);
	if (layout->point) {
		AUTO(text) char *point = display_clean(verdict->effect->point->name);
		print_left(out, point, layout->point);
	}
	AUTO(text) char *curve = curve_of(verdict->effect, layout->scale);
	AUTO(text) char *text = verdict_text(verdict);
	const char *word = outcome_text(verdict->outcome);
	terminal_style(out, options, verdict_outcome_style(verdict->outcome));
	fprintf(out, "%s%*s%s", curve, GAP, "", text);
	if (*word)
		fprintf(out, "%*s%s", (int)(GAP + layout->verdict - display_width(text)), "", word);
	terminal_style(out, options, NULL);
	fputc('\n', out);
}

void verdict_table_print(FILE *out, const struct target_verdicts *verdicts,
			 const struct report_options *options)
{
	struct layout layout = layout_of(verdicts, options);
	print_head(out, &layout, options);
	for (size_t i = 0; i < verdicts->count; i++) {
		if (is_shown(&verdicts->items[i], options))
			print_verdict(out, &verdicts->items[i], &layout, options);
	}
}
