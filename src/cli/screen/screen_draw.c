/* SPDX-License-Identifier: BSD-2-Clause */
/* screen_draw - a head, a table, a line of keys. */
#include "cli/screen/screen_draw.h"

#include "base/cleanup.h"
#include "report/display.h"
#include "report/run_totals.h"

#include <curses.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define HEAD_ROWS 3
#define FOOT_ROWS 1
#define NAME_LEAST 28 /* a narrower screen has no bars, then no numbers of experiments */
#define SHARE_COLUMNS 8
#define COUNT_COLUMNS 8
#define GAIN_COLUMNS 15
#define BAR_COLUMNS 10
#define BAR_FULL 0.25 /* gain of a full bar, if no gain is larger */

enum colour { COLOUR_GAIN = 1, COLOUR_LOSS, COLOUR_HEAD };

void screen_draw_colours(void)
{
	if (!has_colors())
		return;
	start_color();
	use_default_colors();
	init_pair(COLOUR_GAIN, COLOR_GREEN, -1);
	init_pair(COLOUR_LOSS, COLOR_RED, -1);
	init_pair(COLOUR_HEAD, COLOR_BLACK, COLOR_CYAN);
}

long screen_draw_rows(void)
{
	return LINES > HEAD_ROWS + FOOT_ROWS ? LINES - HEAD_ROWS - FOOT_ROWS : 1;
}

static void put(int row, int column, int columns, const char *text)
{
	columns = columns < COLS - column ? columns : COLS - column;
	if (columns <= 0)
		return;
	AUTO(text) char *clean = display_clean(text);
	AUTO(text) char *fitted = display_fit(clean, (size_t)columns);
	mvaddstr(row, column, fitted);
}

static void draw_bar_line(int row, const char *text)
{
	attron(COLOR_PAIR(COLOUR_HEAD));
	mvhline(row, 0, ' ', COLS);
	put(row, 0, COLS - 1, text);
	attroff(COLOR_PAIR(COLOUR_HEAD));
}

static void draw_head(const struct screen_state *state)
{
	const struct screen_model *model = &state->model;

	if (!model->recording) {
		put(0, 0, COLS, "lever: the first experiments are under way");
		return;
	}
	struct run_totals totals = run_totals_of(model->recording);
	AUTO(text) char *command = display_command(totals.last ? totals.last->command : NULL);
	AUTO(text)
	char *line =
		text_format("lever: %u experiment%s, %zu place%s with an answer%s; %s",
			    model->causal->experiments, model->causal->experiments == 1 ? "" : "s",
			    (size_t)model->verdicts.targets,
			    model->verdicts.targets == 1 ? "" : "s",
			    state->is_ending ? "; measuring ends, Ctrl-C ends the program" :
			    state->is_frozen ? "; frozen, F or Space goes on" :
					       "",
			    command);
	put(0, 0, COLS, line);
	if (state->is_typing || *model->filter) {
		AUTO(text)
		char *filter =
			text_format("filter: %s%s", model->filter, state->is_typing ? "_" : "");
		put(1, 0, COLS, filter);
	}
}

/* Where the columns of the table begin; 0: there is no room for it. */
struct columns {
	int names; /* width */
	int share, count, gain, bar;
};

/* A line with its function. */
static char *label_of(const struct target_verdict *verdict)
{
	const struct recording_target *target = verdict->target->target;
	bool is_told = !target->function || strstr(target->name, target->function);

	return text_format("%s%s%s", target->name, is_told ? "" : "  ",
			   is_told ? "" : target->function);
}

/* Bytes of the longest label. */
static int longest_label(const struct screen_model *model)
{
	size_t longest = NAME_LEAST;

	for (size_t i = 0; i < model->rows.count; i++) {
		const struct recording_target *target = model->rows.items[i]->target->target;
		size_t length = strlen(target->name) + 2 +
				(target->function ? strlen(target->function) : 0);
		longest = length > longest ? length : longest;
	}
	return longest < INT_MAX ? (int)longest : INT_MAX;
}

static struct columns columns_of(const struct screen_model *model)
{
	int longest = longest_label(model), room = COLS - SHARE_COLUMNS - GAIN_COLUMNS;
	bool has_count = room - COUNT_COLUMNS >= NAME_LEAST;
	struct columns at = {0};

	room -= has_count ? COUNT_COLUMNS : 0;
	bool has_bar = room - BAR_COLUMNS - 1 >= NAME_LEAST;
	room -= has_bar ? BAR_COLUMNS + 1 : 0;
	at.names = longest < room ? longest : room > 1 ? room : 1;
	at.share = at.names + 1;
	at.count = has_count ? at.share + SHARE_COLUMNS : 0;
	at.gain = at.share + SHARE_COLUMNS + (has_count ? COUNT_COLUMNS : 0);
	at.bar = has_bar ? at.gain + GAIN_COLUMNS : 0;
	return at;
}

static char *gain_text(const struct target_verdict *verdict)
{
	bool is_latency = verdict->effect->point->kind == POINT_LATENCY;
	AUTO(text) char *gain = display_gain(is_latency ? -verdict->at.gain : verdict->at.gain);

	return text_format("%s ±%.1f", gain, 100 * verdict_half_interval(verdict));
}

static double full_bar(const struct screen_model *model)
{
	double most = BAR_FULL;

	for (size_t i = 0; i < model->rows.count; i++)
		most = fmax(most, fabs(model->rows.items[i]->at.gain));
	return most;
}

static void draw_bar(int row, int column, const struct target_verdict *verdict, double full)
{
	int cells = (int)lround(fabs(verdict->at.gain) / full * BAR_COLUMNS);

	for (int i = 0; i < cells && i < BAR_COLUMNS; i++)
		mvaddch(row, column + i, verdict->outcome == OUTCOME_UNSURE ? '.' : '|');
}

/* The ends of names differ more than their beginnings. */
static void draw_label(int row, int columns, const struct target_verdict *verdict)
{
	AUTO(text) char *label = label_of(verdict);
	AUTO(text) char *clean = display_clean(label);
	AUTO(text)
	char *fitted =
		columns < NAME_LEAST ? display_fit_end(clean, (size_t)columns) : text_copy(clean);

	put(row, 0, columns, fitted);
}

static void draw_row(int row, const struct target_verdict *verdict, const struct columns *at,
		     double full, bool is_chosen)
{
	AUTO(text) char *gain = gain_text(verdict);
	AUTO(text) char *share = text_format("%5.1f", 100 * verdict->target->share);
	AUTO(text) char *experiments = text_format("%6u", verdict->target->experiments);
	attr_t style = is_chosen                              ? A_REVERSE :
		       verdict->outcome == OUTCOME_GAIN       ? (attr_t)COLOR_PAIR(COLOUR_GAIN) :
		       verdict->outcome == OUTCOME_CONTENTION ? (attr_t)COLOR_PAIR(COLOUR_LOSS) :
								A_DIM;

	attron(style);
	mvhline(row, 0, ' ', COLS);
	draw_label(row, at->names, verdict);
	put(row, at->share, SHARE_COLUMNS - 1, share);
	if (at->count)
		put(row, at->count, COUNT_COLUMNS - 1, experiments);
	put(row, at->gain, GAIN_COLUMNS, gain);
	if (at->bar)
		draw_bar(row, at->bar, verdict, full);
	attroff(style);
}

static void put_heading(int column, int columns, const char *heading, bool is_sorted_by)
{
	AUTO(text) char *text = text_format("%s%s", heading, is_sorted_by ? "*" : "");

	put(HEAD_ROWS - 1, column, columns, text);
}

/* The column by which rows are sorted has a mark. */
static void draw_columns(const struct screen_model *model, const struct columns *at)
{
	enum screen_order order = model->order;

	draw_bar_line(HEAD_ROWS - 1, "");
	attron(COLOR_PAIR(COLOUR_HEAD));
	put_heading(0, at->names, "PLACE", order == SCREEN_BY_NAME);
	put_heading(at->share, SHARE_COLUMNS, "SHARE%", order == SCREEN_BY_SHARE);
	if (at->count)
		put_heading(at->count, COUNT_COLUMNS, "EXPER.", order == SCREEN_BY_EXPERIMENTS);
	put_heading(at->gain, COLS, at->bar ? "if 25 % faster" : "25 % faster",
		    order == SCREEN_BY_RANK);
	attroff(COLOR_PAIR(COLOUR_HEAD));
}

static void draw_table(struct screen_state *state)
{
	const struct screen_model *model = &state->model;
	size_t shown = (size_t)screen_draw_rows();
	double full = full_bar(model);
	const struct columns at = columns_of(model);

	if (model->at < state->top)
		state->top = model->at;
	if (model->at >= state->top + shown)
		state->top = model->at - shown + 1;
	draw_columns(model, &at);
	for (size_t i = 0; i < shown && state->top + i < model->rows.count; i++)
		draw_row(HEAD_ROWS + (int)i, model->rows.items[state->top + i], &at, full,
			 state->top + i == model->at);
	if (model->recording && !model->rows.count)
		put(HEAD_ROWS, 0, COLS,
		    *model->filter ? "no place has that in its name" :
				     "no place has an answer yet");
}

static void draw_detail(const struct screen_model *model)
{
	const struct target_verdict *verdict = screen_model_chosen(model);

	if (!verdict)
		return;
	const struct recording_target *target = verdict->target->target;
	AUTO(text)
	char *title =
		text_format("%s%s%s, progress point %s", target->name,
			    target->function ? " in " : "",
			    target->function ? target->function : "", verdict->effect->point->name);
	draw_bar_line(HEAD_ROWS - 1, title);
	put(HEAD_ROWS, 0, COLS, "faster by  gain      95 % interval       windows");
	for (size_t i = 0; i < verdict->effect->count && (long)i + 1 < screen_draw_rows(); i++) {
		const struct effect_point *point = &verdict->effect->points[i];
		AUTO(text) char *gain = display_gain(point->gain);
		AUTO(text) char *low = display_gain(point->low);
		AUTO(text) char *high = display_gain(point->high);
		AUTO(text) char *speedup = text_format("%5.0f %%", 100 * point->speedup);
		AUTO(text) char *interval = text_format("%s to %s", low, high);
		AUTO(text) char *windows = text_format("%7u", point->windows);
		int row = HEAD_ROWS + 1 + (int)i;
		put(row, 0, 9, speedup);
		put(row, 11, 9, gain);
		put(row, 21, 19, interval);
		put(row, 41, 7, windows);
	}
}

static void draw_help(void)
{
	static const char *const lines[] = {
		"Up Down k j    choose a place",
		"PgUp PgDn g G  a screen up, down; first, last",
		"Enter Right    its curve; Esc, Left: back",
		"s F6 >         sort by the next column",
		"/ F4           only names with this",
		"F Space        freeze, or go on",
		"q F10          end measuring; report when the program ends",
		"Ctrl-C         end the program, too; Ctrl-Z: stop it, fg goes on",
		"h ? F1         this help",
		"",
		"\"if 25 % faster\": the program's gain, with half of its 95 % interval.",
		"Bars of dots are not sure. SHARE% is of the samples, not what can be gained.",
	};

	draw_bar_line(HEAD_ROWS - 1, "Keys");
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		put(HEAD_ROWS + (int)i, 0, COLS, lines[i]);
}

void screen_draw(struct screen_state *state)
{
	erase();
	draw_head(state);
	switch (state->page) {
	case SCREEN_TABLE:
		draw_table(state);
		break;
	case SCREEN_DETAIL:
		draw_detail(&state->model);
		break;
	case SCREEN_HELP:
		draw_help();
		break;
	}
	draw_bar_line(LINES - 1, "F1 Help  Enter Curve  / Filter  F6 Sort  F Freeze  q End");
	refresh();
}
