/* SPDX-License-Identifier: BSD-2-Clause */
/* pairs_page - two commands as a page: the times of both in one picture, and a row for each. */
#include "base/cleanup.h"
#include "base/memory.h"
#include "report/diff/chart.h"
#include "report/diff/diff_report.h"
#include "report/display.h"

#include <math.h>

#define WIDTH 760
#define HEIGHT 150
#define LEFT 40
#define RIGHT 30
#define ROW 46 /* of one command */
#define AXIS 112
#define LABELS 4

struct time_axis {
	double from, to; /* seconds */
};

static double x_of(const struct time_axis *axis, double seconds)
{
	double share = (seconds - axis->from) / (axis->to - axis->from);

	return LEFT + share * (WIDTH - LEFT - RIGHT);
}

static void draw_axis(FILE *out, const struct time_axis *axis)
{
	for (unsigned i = 0; i < LABELS; i++) {
		double seconds = axis->from + (axis->to - axis->from) * i / (LABELS - 1);
		AUTO(text) char *label = display_duration(seconds * 1e9);
		fprintf(out,
			"<path class=\"axis\" d=\"M%.1f 8V%d\"/>"
			"<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
			x_of(axis, seconds), AXIS, x_of(axis, seconds), AXIS + 26, label);
	}
}

/* A line from the least to the most, a box from quartile to quartile, and the median. */
static void draw_side(FILE *out, const struct time_axis *axis, const struct run_side_summary *side,
		      unsigned number)
{
	double y = 30 + ROW * number;

	fprintf(out,
		"<text x=\"4\" y=\"%.0f\">%c</text><g class=\"%s\"><path d=\"M%.1f %.0fH%.1f\"/>"
		"<rect class=\"box\" x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"24\"/>"
		"<path class=\"median\" d=\"M%.1f %.0fv24\"/></g>\n",
		y + 6, number ? 'B' : 'A', number ? "after" : "before", x_of(axis, side->least), y,
		x_of(axis, side->most), x_of(axis, side->low), y - 12,
		x_of(axis, side->high) - x_of(axis, side->low), x_of(axis, side->median), y - 12);
}

static void draw(FILE *out, const struct run_pairs_result *result)
{
	const struct run_side_summary *sides = result->sides;
	struct time_axis axis = {
		.from = fmin(sides[RUN_BEFORE].least, sides[RUN_AFTER].least),
		.to = fmax(sides[RUN_BEFORE].most, sides[RUN_AFTER].most),
	};

	if (!(axis.to > axis.from))
		return;
	fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"times of A and B\">\n",
		WIDTH, HEIGHT);
	draw_axis(out, &axis);
	for (unsigned side = RUN_BEFORE; side <= RUN_AFTER; side++)
		draw_side(out, &axis, &sides[side], side);
	fputs("</svg>\n<p>The box holds half of the runs, the line all of them; the thick line in "
	      "the box is the median.</p>\n",
	      out);
}

static void write_row(FILE *out, const struct diff_report *report, unsigned side)
{
	const struct run_side_summary *summary = &report->pairs->sides[side];
	AUTO(text) char *median = display_duration(summary->median * 1e9);
	AUTO(text) char *spread = diff_pairs_spread(summary);
	AUTO(text) char *least = display_duration(summary->least * 1e9);
	AUTO(text) char *most = display_duration(summary->most * 1e9);
	AUTO(text) char *change = diff_pairs_change(report->pairs);

	fprintf(out,
		"<tr><td>%c</td><td>%s</td><td>%s</td><td>%s \xe2\x80\xa6 %s</td><td>%s</td>"
		"<td class=\"name\">",
		side ? 'B' : 'A', median, spread, least, most, side ? change : "");
	chart_text(out, report->commands[side]);
	fputs("</td></tr>\n", out);
}

void diff_pairs_html(FILE *out, const struct diff_report *report)
{
	AUTO(text) char *verdict = diff_pairs_verdict(report);
	AUTO(text) char *gate = diff_pairs_gate(report);
	AUTO(text) char *ratio = diff_pairs_ratio(report->pairs);
	AUTO(text) char *ratio_of = text_format("Time of B / time of A: %s", ratio);

	chart_page_begin(out, "lever diff", verdict);
	if (gate)
		chart_paragraph(out, gate);
	draw(out, report->pairs);
	chart_table_begin(out, "commands",
			  (const struct chart_column[]){{"side", false},
							{"median", false},
							{"spread", false},
							{"least \xe2\x80\xa6 most", false},
							{"change", false},
							{"command", true},
							{NULL, false}});
	write_row(out, report, RUN_BEFORE);
	write_row(out, report, RUN_AFTER);
	chart_table_end(out);
	chart_paragraph(out, ratio_of);
	if (report->point) {
		AUTO(text) char *of = text_format("Times are of a visit of %s.", report->point);
		chart_paragraph(out, of);
	}
	if (report->note)
		chart_paragraph(out, report->note);
	chart_page_end(out);
}
