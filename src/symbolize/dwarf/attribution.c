/* SPDX-License-Identifier: BSD-2-Clause */
/* attribution - one pass over the line table and the inline tree. */
#include "symbolize/dwarf/attribution.h"

#include "base/memory.h"
#include "symbolize/scope.h"

struct last_line {
	uint32_t file;
	unsigned line;
};

struct pass {
	struct sources *sources;
	const struct inline_tree *frames;
	enum attribution_mode mode;
	struct last_line *last; /* by frame; one more for code outside of all frames */
	attribution_visit *visit;
	void *context;
};

static struct last_line *last_of(struct pass *pass, uint32_t frame)
{
	return &pass->last[frame == FRAME_NONE ? pass->frames->count : frame];
}

/* Of a function without any line, where it is declared. */
static struct last_line declared_at(const struct pass *pass, uint32_t frame)
{
	uint32_t id = pass->frames->items[frame].function;
	if (id == FUNCTION_NONE)
		return (struct last_line){0};
	const struct function *function = &pass->sources->functions.items[id];
	return (struct last_line){.file = function->file, .line = function->line};
}

/*
 * The line at level 0. Remembers it, and the lines of the calls in its callers, for later code with
 * line 0. An inlined function that had no line yet keeps line 0: the line of the call counts.
 */
static struct last_line line_at(struct pass *pass, const struct line_row *row, uint32_t frame)
{
	struct last_line *last = last_of(pass, frame);
	const struct inline_frame *at = frame == FRAME_NONE ? NULL : &pass->frames->items[frame];

	if (row->line)
		*last = (struct last_line){.file = row->file, .line = row->line};
	for (const struct inline_frame *inner = at; inner && inner->parent != FRAME_NONE;
	     inner = &pass->frames->items[inner->parent]) {
		if (inner->call_line)
			*last_of(pass, inner->parent) =
				(struct last_line){.file = inner->call_file,
						   .line = inner->call_line};
	}
	if (at && !last->line && (at->parent == FRAME_NONE || pass->mode == ATTRIBUTE_FUNCTIONS))
		return declared_at(pass, frame);
	return *last;
}

/* A line is in scope by the file it stands in, a function by the file that declares it. */
static bool level_counts(struct pass *pass, const struct attribution *level)
{
	struct sources *sources = pass->sources;
	bool names_matter = scope_names_functions(sources->scope);
	uint32_t file = level->file;

	if (pass->mode != ATTRIBUTE_FUNCTIONS && !level->line)
		return false;
	if (pass->mode == ATTRIBUTE_RAW)
		return true;
	if (pass->mode == ATTRIBUTE_FUNCTIONS && level->function != FUNCTION_NONE &&
	    sources->functions.items[level->function].file)
		file = sources->functions.items[level->function].file;
	return sources_in_scope(sources, file,
				names_matter ? sources_function_name(sources, level->function) : 0);
}

static void attribute(struct pass *pass, const struct line_row *row, uint32_t frame, uint64_t start,
		      uint64_t end)
{
	struct last_line line = line_at(pass, row, frame);
	struct attribution level = {.start = start,
				    .end = end,
				    .file = line.file,
				    .line = line.line};

	for (;;) {
		const struct inline_frame *at =
			frame == FRAME_NONE ? NULL : &pass->frames->items[frame];
		level.function = at ? at->function : FUNCTION_NONE;
		if (level_counts(pass, &level)) {
			pass->visit(pass->context, &level);
			return;
		}
		if (!at || at->parent == FRAME_NONE || pass->mode == ATTRIBUTE_RAW)
			return;
		level.file = at->call_file;
		level.line = at->call_line;
		frame = at->parent;
	}
}

void attribution_walk(struct sources *sources, const struct line_table *rows,
		      const struct inline_tree *frames, enum attribution_mode mode,
		      attribution_visit *visit, void *context)
{
	struct pass pass = {
		.sources = sources,
		.frames = frames,
		.mode = mode,
		.last = memory_new(frames->count + 1, sizeof(*pass.last)),
		.visit = visit,
		.context = context,
	};
	const struct interval_map *intervals = &frames->intervals;

	for (size_t i = 0; i < rows->count; i++) {
		uint64_t at = rows->items[i].address, end = line_table_row_end(rows, i);
		size_t next = at < end ? interval_map_after(intervals, at) : 0;
		while (at < end) {
			const struct interval_map_entry *span =
				next < intervals->count ? &intervals->items[next] : NULL;
			bool is_inside = span && span->start <= at;
			uint64_t until = !span ? end : is_inside ? span->end : span->start;
			until = until < end ? until : end;
			attribute(&pass, &rows->items[i], is_inside ? span->value : FRAME_NONE, at,
				  until);
			at = until;
			next += is_inside && until == span->end;
		}
	}
	free(pass.last);
}
