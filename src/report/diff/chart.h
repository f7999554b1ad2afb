/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chart - a static page: text, tables and drawings in SVG, without a script.
 *
 * Texts are escaped. The page allows nothing but its own style.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct chart {
	double left, right, bottom, top; /* values at the edges of the drawing */
	bool is_ordinal;                 /* x has no unit, and no labels */
	FILE *out;
};

void chart_page_begin(FILE *out, const char *title, const char *headline);
void chart_page_end(FILE *out);
void chart_text(FILE *out, const char *text); /* escaped */
void chart_paragraph(FILE *out, const char *text);

/* A column of names is aligned to the left. */
struct chart_column {
	const char *title; /* NULL: behind the last one */
	bool is_name;
};

/* A table with its first row; it scrolls where the window is too small. The caller writes rows. */
void chart_table_begin(FILE *out, const char *label, const struct chart_column *columns);
void chart_table_end(FILE *out);

/* A drawing with axes; labels are percent. Values outside of the edges are drawn at them. */
void chart_begin(struct chart *chart, const char *x_title, const char *y_title);
void chart_end(struct chart *chart);
/* `class` names a style: "before", "after", "predicted", "measured". */
void chart_line(struct chart *chart, const char *class, const double *x, const double *y,
		size_t count);
/* A dot with its interval, and a title that shows when it is pointed at. */
void chart_dot(struct chart *chart, const char *class, double x, const double y[3],
	       const char *title);
