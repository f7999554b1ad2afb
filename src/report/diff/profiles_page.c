/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profiles_page - two profiles as a page: both curves of the changed code, and in the same drawing
 * the predicted and the measured gain at the realised speedup.
 */
#include "base/cleanup.h"
#include "base/memory.h"
#include "report/diff/chart.h"
#include "report/diff/diff_report.h"
#include "report/display.h"

#include <math.h>

#define FUNCTIONS_SHOWN 20

/* The effect of the function's target with the most experiments; NULL: none. */
static const struct causal_effect *curve_of(const struct profile_pair *pair, unsigned side)
{
	const struct function_cost *cost = pair->main ? pair->main->sides[side] : NULL;
	const struct causal *causal = pair->causal[side];
	const struct causal_effect *best = NULL;
	unsigned experiments = 0;

	for (size_t i = 0; cost && i < causal->count; i++) {
		const struct causal_target *target = &causal->targets[i];
		if (!function_cost_has(cost, target->target) || target->experiments <= experiments)
			continue;
		for (size_t j = 0; j < target->count; j++)
			if (target->effects[j].point == pair->points[side]) {
				best = &target->effects[j];
				experiments = target->experiments;
			}
	}
	return best;
}

static void widen(struct chart *chart, double low, double high)
{
	chart->bottom = fmin(chart->bottom, low);
	chart->top = fmax(chart->top, high);
}

static void set_edges(struct chart *chart, const struct profile_pair *pair,
		      const struct causal_effect *const curves[2])
{
	for (unsigned side = 0; side < 2; side++)
		for (size_t i = 0; curves[side] && i < curves[side]->count; i++)
			widen(chart, curves[side]->points[i].gain, curves[side]->points[i].gain);
	if (pair->predicted.is_known)
		widen(chart, pair->predicted.low, pair->predicted.high);
	if (pair->measured.is_known)
		widen(chart, pair->measured.low, pair->measured.high);
	chart->left = fmin(0, pair->main->speedup);
	chart->right = 1;
	chart->top += 0.05;
}

static void draw_curve(struct chart *chart, const char *class, const struct causal_effect *curve)
{
	double *x = memory_new(curve->count + 1, sizeof(*x));
	double *y = memory_new(curve->count + 1, sizeof(*y));
	size_t count = 1;

	for (size_t i = 0; i < curve->count; i++) {
		const struct effect_point *point = &curve->points[i];
		if (point->speedup <= 0)
			continue;
		AUTO(text)
		char *title =
			display_minus(text_format("%s: %.0f %% speedup, %+.1f %% (%.1f to %.1f)",
						  class, 100 * point->speedup, 100 * point->gain,
						  100 * point->low, 100 * point->high));
		chart_dot(chart, class, point->speedup,
			  (const double[]){point->low, point->gain, point->high}, title);
		x[count] = point->speedup;
		y[count++] = point->gain;
	}
	chart_line(chart, class, x, y, count);
	free(x);
	free(y);
}

static void draw_gain(struct chart *chart, const char *class, double speedup,
		      const struct gain_estimate *gain)
{
	AUTO(text) char *text = diff_gain_text(gain);
	AUTO(text) char *title = text_format("%s %s", class, text);

	if (gain->is_known)
		chart_dot(chart, class, speedup,
			  (const double[]){gain->low, gain->gain, gain->high}, title);
}

static void draw(FILE *out, const struct profile_pair *pair)
{
	const struct causal_effect *curves[2] = {curve_of(pair, PROFILE_BEFORE),
						 curve_of(pair, PROFILE_AFTER)};
	static const char *const classes[] = {"before", "after"};
	struct chart chart = {.out = out};

	set_edges(&chart, pair, curves);
	chart_begin(&chart, "speedup of the code", "gain of the program");
	for (unsigned side = 0; side < 2; side++)
		if (curves[side])
			draw_curve(&chart, classes[side], curves[side]);
	draw_gain(&chart, "predicted", pair->main->speedup - 0.004, &pair->predicted);
	draw_gain(&chart, "measured", pair->main->speedup + 0.004, &pair->measured);
	chart_end(&chart);
	fputs("<p><span class=\"before\">&#9632;</span> curve before, <span class=\"after\">"
	      "&#9632;</span> after; at the realised speedup <span class=\"predicted\">&#9632;"
	      "</span> predicted, <span class=\"measured\">&#9632;</span> measured.</p>\n",
	      out);
}

static void write_cost(FILE *out, const struct function_cost *cost)
{
	AUTO(text) char *text = cost ? display_duration(cost->per_visit_ns) : text_copy("-");

	fputs("<td>", out);
	chart_text(out, text);
	fputs("</td>", out);
}

static void write_row(FILE *out, const struct changed_function *function)
{
	const struct function_cost *after = function->sides[PROFILE_AFTER];
	AUTO(text)
	char *predicted =
		function->is_changed ? diff_gain_text(&function->predicted) : text_copy("");

	fputs("<tr><td class=\"name\">", out);
	chart_text(out, after ? after->name : function->sides[PROFILE_BEFORE]->name);
	fputs("</td>", out);
	AUTO(text) char *change = display_gain(-function->speedup);
	if (function->is_changed)
		fprintf(out, "<td>%s</td>", change);
	else
		fputs("<td>~</td>", out);
	fprintf(out, "<td>%s</td>", predicted);
	write_cost(out, function->sides[PROFILE_BEFORE]);
	write_cost(out, after);
	fputs("</tr>\n", out);
}

/* What was compared, and by what. */
static void write_sides(FILE *out, const struct diff_report *report)
{
	for (unsigned side = 0; side < 2; side++) {
		const struct recording *recording = report->profiles->recordings[side];
		const struct recording_run *run = &recording->runs.items[recording->runs.count - 1];
		AUTO(text) char *command = display_command(run->command);
		AUTO(text) char *wall = display_duration((double)run->wall_ns);
		AUTO(text)
		char *text = text_format("%s: %s: %s, %s", side ? "After" : "Before",
					 report->commands[side], command, wall);
		chart_paragraph(out, text);
	}
	AUTO(text)
	char *point =
		text_format("Progress point: %s", report->profiles->points[PROFILE_BEFORE]->name);
	chart_paragraph(out, point);
}

void diff_profiles_html(FILE *out, const struct diff_report *report)
{
	const struct profile_pair *pair = report->profiles;
	AUTO(text) char *verdict = diff_profiles_verdict(pair);
	AUTO(text) char *gate = diff_profiles_gate(pair, report->plan->gate);

	chart_page_begin(out, "lever diff", verdict);
	if (gate)
		chart_paragraph(out, gate);
	if (pair->main)
		draw(out, pair);
	write_sides(out, report);
	chart_table_begin(out, "functions",
			  (const struct chart_column[]){{"function, cost of a visit", true},
							{"change", false},
							{"predicted for that", false},
							{"before", false},
							{"after", false},
							{NULL, false}});
	for (size_t i = 0; i < pair->count && i < FUNCTIONS_SHOWN; i++)
		write_row(out, &pair->functions[i]);
	chart_table_end(out);
	chart_paragraph(
		out, "~ is no sure change, at a false discovery rate of 5 % over all functions.");
	for (size_t i = 0; i < pair->notes.count; i++)
		chart_paragraph(out, pair->notes.items[i]);
	if (pair->is_void)
		chart_paragraph(out, DIFF_VOID);
	chart_page_end(out);
}
