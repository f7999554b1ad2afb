/* SPDX-License-Identifier: BSD-2-Clause */
/* chart - writes the page and its drawings. */
#include "report/diff/chart.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "report/display.h"

#include <math.h>

#define WIDTH 760
#define HEIGHT 380
#define MARGIN_LEFT 80 /* "−100 %" on a phone, where letters are larger */
#define MARGIN_BOTTOM 56
#define MARGIN 14
#define MARGIN_RIGHT 40 /* half of "100 %", on a phone, too */
#define TICKS 5

static const char head[] =
	"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	"'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<style>\n"
	":root{color-scheme:light dark;--page:#f6f8fa;--card:#fff;--line:#8884}\n"
	"@media(prefers-color-scheme:dark){:root{--page:#10141a;--card:#1a2029}}\n"
	"body{font:15px/1.45 system-ui,sans-serif;background:var(--page);max-width:900px;"
	"margin:2em auto;padding:0 1em}\n"
	"h1{font-size:1.25em;text-wrap:balance}p{overflow-wrap:anywhere}\n"
	".wide{overflow-x:auto;background:var(--card);border:1px solid var(--line);"
	"border-radius:8px;margin:1em 0}\n"
	"table{border-collapse:collapse;min-width:100%}\n"
	"td,th{padding:.3em .8em;text-align:right;white-space:nowrap;"
	"border-bottom:1px solid var(--line)}\n"
	"tr:last-child td{border-bottom:0}th{font-weight:600}\n"
	".name{text-align:left}td.name{font-family:monospace;white-space:normal;"
	"overflow-wrap:anywhere;min-width:9em}\n"
	"svg{width:100%;height:auto}text{font-size:13px;fill:currentColor}\n"
	".axis{stroke:#8888;fill:none}\n"
	".before{color:#3b78c3}.after{color:#c06a1c}\n"
	".predicted{color:#7a4bb5}.measured{color:#2a8a4a}\n"
	"@media(prefers-color-scheme:dark){.predicted{color:#a583dd}}\n"
	".before,.after,.predicted,.measured{stroke:currentColor;fill:currentColor}\n"
	".box{fill-opacity:.35}.median{stroke-width:3}\n"
	"polyline{fill:none!important;stroke-width:2}\n"
	"@media(max-width:600px){text{font-size:24px}.tick{transform:translateY(7px)}"
	"td,th{padding:.3em .5em}}\n"
	"</style>\n";

void chart_text(FILE *out, const char *text)
{
	AUTO(text) char *clean = display_clean(text);

	for (const char *at = clean; *at; at++) {
		if (*at == '<' || *at == '>' || *at == '&' || *at == '"')
			fprintf(out, "&#%d;", *at);
		else
			fputc(*at, out);
	}
}

void chart_page_begin(FILE *out, const char *title, const char *headline)
{
	fputs(head, out);
	fputs("<title>", out);
	chart_text(out, title);
	fputs("</title></head><body><main>\n<h1>", out);
	chart_text(out, headline);
	fputs("</h1>\n", out);
}

void chart_page_end(FILE *out)
{
	fputs("</main></body></html>\n", out);
}

void chart_paragraph(FILE *out, const char *text)
{
	fputs("<p>", out);
	chart_text(out, text);
	fputs("</p>\n", out);
}

void chart_table_begin(FILE *out, const char *label, const struct chart_column *columns)
{
	fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"", out);
	chart_text(out, label);
	fputs("\"><table><tr>", out);
	for (; columns->title; columns++) {
		fprintf(out, "<th scope=\"col\"%s>", columns->is_name ? " class=\"name\"" : "");
		chart_text(out, columns->title);
		fputs("</th>", out);
	}
	fputs("</tr>\n", out);
}

void chart_table_end(FILE *out)
{
	fputs("</table></div>\n", out);
}

static double place(double value, double low, double high, double from, double to)
{
	double share = high > low ? (value - low) / (high - low) : 0;

	return from + fmin(1, fmax(0, share)) * (to - from);
}

static double x_of(const struct chart *chart, double x)
{
	return place(x, chart->left, chart->right, MARGIN_LEFT, WIDTH - MARGIN_RIGHT);
}

static double y_of(const struct chart *chart, double y)
{
	return place(y, chart->bottom, chart->top, HEIGHT - MARGIN_BOTTOM, MARGIN);
}

/* 1, 2 or 5 of a power of ten, so that there are at most TICKS of them or one more. */
static double step_of(double range)
{
	double least = range / TICKS, power = pow(10, floor(log10(least)));
	double digits = least / power;

	return power * (digits <= 1 ? 1 : digits <= 2 ? 2 : digits <= 5 ? 5 : 10);
}

static void draw_x_axis(const struct chart *chart)
{
	double step = step_of(chart->right - chart->left);

	for (double x = chart->left; x <= chart->right + step / 2; x += step)
		fprintf(chart->out,
			"<text class=\"tick\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">"
			"%.0f %%</text>\n",
			x_of(chart, x), HEIGHT - MARGIN_BOTTOM + 18, 100 * x);
}

static void draw_y_axis(const struct chart *chart)
{
	double range = chart->top - chart->bottom, step = step_of(range > 0 ? range : 1);

	for (double y = ceil(chart->bottom / step) * step + 0.0; y <= chart->top; y += step) {
		AUTO(text)
		char *label = display_minus(text_format("%.4g %%", round(1e4 * y) / 100 + 0.0));
		fprintf(chart->out,
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>"
			"<path class=\"axis\" d=\"M%d %.1fH%d\"/>\n",
			MARGIN_LEFT - 6, y_of(chart, y) + 4, label, MARGIN_LEFT, y_of(chart, y),
			WIDTH - MARGIN_RIGHT);
	}
}

void chart_begin(struct chart *chart, const char *x_title, const char *y_title)
{
	FILE *out = chart->out;

	fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
	chart_text(out, y_title);
	fputs(", by ", out);
	chart_text(out, x_title);
	fputs("\">\n", out);
	if (!chart->is_ordinal)
		draw_x_axis(chart);
	draw_y_axis(chart);
	fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (WIDTH + MARGIN_LEFT) / 2,
		HEIGHT - 6);
	chart_text(out, x_title);
	fprintf(out, "</text>\n<text x=\"%d\" y=\"%d\">", MARGIN_LEFT + 8, MARGIN + 12);
	chart_text(out, y_title);
	fputs("</text>\n", out);
}

void chart_end(struct chart *chart)
{
	fputs("</svg>\n", chart->out);
}

void chart_line(struct chart *chart, const char *class, const double *x, const double *y,
		size_t count)
{
	fprintf(chart->out, "<polyline class=\"%s\" points=\"", class);
	for (size_t i = 0; i < count; i++)
		fprintf(chart->out, "%.1f,%.1f ", x_of(chart, x[i]), y_of(chart, y[i]));
	fputs("\"/>\n", chart->out);
}

void chart_dot(struct chart *chart, const char *class, double x, const double y[3],
	       const char *title)
{
	fprintf(chart->out, "<g class=\"%s\"><title>", class);
	chart_text(chart->out, title);
	fprintf(chart->out,
		"</title><path d=\"M%.1f %.1fV%.1f\"/><circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>"
		"</g>\n",
		x_of(chart, x), y_of(chart, y[0]), y_of(chart, y[2]), x_of(chart, x),
		y_of(chart, y[1]));
}
