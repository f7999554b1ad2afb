/* SPDX-License-Identifier: BSD-2-Clause */
/* screen - lines are ranges of one array of parts. */
#include "report/causal/screen.h"

#include "base/cleanup.h"
#include "report/json.h"
#include "report/terminal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {
	[SCREEN_MEASURED] = "measured",
	[SCREEN_PROGRESS] = "progress",
	[SCREEN_GAIN] = "gain",
	[SCREEN_INSIDE] = "inside",
	[SCREEN_WHY] = "why",
	[SCREEN_NOTHING] = "nothing",
	[SCREEN_TOGETHER] = "together",
	[SCREEN_ORDER] = "order",
	[SCREEN_LATENCY] = "latency",
	[SCREEN_CONTENTION] = "contention",
	[SCREEN_UNSURE] = "unsure",
	[SCREEN_HOPELESS] = "hopeless",
	[SCREEN_LIMITS] = "limits",
	[SCREEN_SURER] = "surer",
	[SCREEN_UNANSWERED] = "unanswered",
};

static const char *const marks[] = {
	[SCREEN_TEXT] = "text",
	[SCREEN_TARGET] = "target",
	[SCREEN_FIGURE] = "figure",
	[SCREEN_COMMAND] = "command",
};

void screen_line(struct screen *screen, enum screen_kind kind, const char *label, unsigned depth)
{
	assert(screen->line_count < SCREEN_LINES_MOST);
	screen->lines[screen->line_count++] = (struct screen_line){.kind = kind,
								   .label = label,
								   .depth = depth,
								   .first = screen->part_count};
}

static void take_part(struct screen *screen, struct screen_part part)
{
	assert(screen->line_count && screen->part_count < SCREEN_PARTS_MOST);
	screen->parts[screen->part_count++] = part;
	screen->lines[screen->line_count - 1].count++;
}

void screen_take(struct screen *screen, enum screen_mark mark, char *text)
{
	take_part(screen, (struct screen_part){.mark = mark, .text = text});
}

void screen_take_target(struct screen *screen, const struct causal_target *target, char *text)
{
	take_part(screen,
		  (struct screen_part){.mark = SCREEN_TARGET, .target = target, .text = text});
}

void screen_release(struct screen *screen)
{
	for (unsigned i = 0; i < screen->part_count; i++)
		free(screen->parts[i].text);
	*screen = (struct screen){0};
}

void screen_print(FILE *out, const struct screen *screen, const struct report_options *options)
{
	for (unsigned i = 0; i < screen->line_count; i++) {
		const struct screen_line *line = &screen->lines[i];
		char *text = line->depth ? text_format("%*s└ ", 2 * (int)(line->depth - 1), "") :
					   text_copy("");
		for (unsigned j = 0; j < line->count; j++) {
			AUTO(text) char *before = text;
			text = text_format("%s%s", before, screen->parts[line->first + j].text);
		}
		terminal_label(out, options, line->label);
		terminal_wrapped(out, text, TERMINAL_INDENT, options->columns);
		free(text);
	}
}

static unsigned rows_of(const struct screen *screen, const struct report_options *options)
{
	AUTO(text) char *text = NULL;
	size_t size;
	unsigned rows = 0;

	FILE *out = open_memstream(&text, &size);
	if (!out)
		return 0;
	screen_print(out, screen, options);
	fclose(out);
	for (size_t i = 0; i < size; i++)
		rows += text[i] == '\n';
	return rows;
}

/* The last line of the kind, of the greatest depth; the line count if there is none. */
static unsigned last_of(const struct screen *screen, enum screen_kind kind)
{
	unsigned found = screen->line_count;

	for (unsigned i = 0; i < screen->line_count; i++)
		if (screen->lines[i].kind == kind &&
		    (found == screen->line_count ||
		     screen->lines[i].depth >= screen->lines[found].depth))
			found = i;
	return found;
}

static unsigned count_of(const struct screen *screen, enum screen_kind kind)
{
	unsigned count = 0;

	for (unsigned i = 0; i < screen->line_count; i++)
		count += screen->lines[i].kind == kind;
	return count;
}

void screen_fit(struct screen *screen, const struct report_options *options, unsigned rows)
{
	static const struct {
		enum screen_kind kind;
		unsigned kept;
	} steps[] = {{SCREEN_INSIDE, 2},
		     {SCREEN_HOPELESS, 0},
		     {SCREEN_INSIDE, 0},
		     {SCREEN_WHY, 1},
		     {SCREEN_UNSURE, 0}};

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		while (count_of(screen, steps[i].kind) > steps[i].kept &&
		       rows_of(screen, options) > rows) {
			unsigned at = last_of(screen, steps[i].kind);
			screen->line_count--;
			memmove(screen->lines + at, screen->lines + at + 1,
				(screen->line_count - at) * sizeof(*screen->lines));
		}
}

static json_t *part_json(const struct screen_part *part, const struct causal *causal)
{
	json_t *json =
		json_pack("{ss so}", "mark", marks[part->mark], "text", json_text(part->text));

	if (part->target)
		json_object_set_new(json, "target", json_integer(part->target - causal->targets));
	return json;
}

json_t *screen_json(const struct screen *screen, const struct causal *causal)
{
	json_t *lines = json_array();

	for (unsigned i = 0; i < screen->line_count; i++) {
		const struct screen_line *line = &screen->lines[i];
		json_t *parts = json_array();
		for (unsigned j = 0; j < line->count; j++)
			json_array_append_new(parts,
					      part_json(&screen->parts[line->first + j], causal));
		json_array_append_new(lines, json_pack("{ss ss sI so}", "kind", kinds[line->kind],
						       "label", line->label, "depth",
						       (json_int_t)line->depth, "parts", parts));
	}
	return lines;
}
