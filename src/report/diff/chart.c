/* SPDX-License-Identifier: BSD-2-Clause */
/* chart - writes the page and its drawings. */
#include "report/diff/chart.h"

#include "base/cleanup.h"
#include "report/display.h"

#include <math.h>

#define WIDTH 760
#define HEIGHT 380
#define MARGIN_LEFT 64
#define MARGIN_BOTTOM 44
#define MARGIN 14
#define TICKS 5

static const char head[] =
	"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	"'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<style>\n"
	":root{color-scheme:light dark}\n"
	"body{font:15px/1.45 system-ui,sans-serif;max-width:900px;margin:2em auto;padding:0 1em}\n"
	"h1{font-size:1.25em}table{border-collapse:collapse;margin:1em 0}\n"
	"td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid #8885}\n"
	"td.name,th.name{text-align:left;font-family:monospace}\n"
	"svg{width:100%;height:auto}text{font-size:13px;fill:currentColor}\n"
	".axis{stroke:#8888;fill:none}\n"
	".before{stroke:#3b78c3;fill:#3b78c3}.after{stroke:#c06a1c;fill:#c06a1c}\n"
	".predicted{stroke:#7a4bb5;fill:#7a4bb5}.measured{stroke:#2a8a4a;fill:#2a8a4a}\n"
	"polyline{fill:none!important;stroke-width:2}\n"
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
	fputs("</title></head><body>\n<h1>", out);
	chart_text(out, headline);
	fputs("</h1>\n", out);
}

void chart_page_end(FILE *out)
{
	fputs("</body></html>\n", out);
}

void chart_paragraph(FILE *out, const char *text)
{
	fputs("<p>", out);
	chart_text(out, text);
	fputs("</p>\n", out);
}

static double place(double value, double low, double high, double from, double to)
{
	double share = high > low ? (value - low) / (high - low) : 0;

	return from + fmin(1, fmax(0, share)) * (to - from);
}

static double x_of(const struct chart *chart, double x)
{
	return place(x, chart->left, chart->right, MARGIN_LEFT, WIDTH - MARGIN);
}

static double y_of(const struct chart *chart, double y)
{
	return place(y, chart->bottom, chart->top, HEIGHT - MARGIN_BOTTOM, MARGIN);
}

void chart_begin(struct chart *chart, const char *x_title, const char *y_title)
{
	FILE *out = chart->out;

	fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n", WIDTH, HEIGHT);
	for (int tick = 0; tick <= TICKS; tick++) {
		double x = chart->left + (chart->right - chart->left) * tick / TICKS;
		double y = chart->bottom + (chart->top - chart->bottom) * tick / TICKS;
		fprintf(out,
			"<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f %%</text>"
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.1f %%</text>\n",
			x_of(chart, x), HEIGHT - MARGIN_BOTTOM + 18, 100 * x, MARGIN_LEFT - 6,
			y_of(chart, y) + 4, 100 * y);
		fprintf(out, "<path class=\"axis\" d=\"M%d %.1fH%d\"/>\n", MARGIN_LEFT,
			y_of(chart, y), WIDTH - MARGIN);
	}
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
