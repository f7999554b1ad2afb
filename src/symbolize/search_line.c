/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * search_line - the code of FILE:LINE.
 *
 * Only units whose file table has a matching file are decoded.
 */
#include "symbolize/attribution.h"
#include "symbolize/filetable.h"
#include "symbolize/name.h"
#include "symbolize/path.h"
#include "symbolize/search.h"

#include "base/own.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

struct line_hit {
	uint32_t object, unit, file, function;
	uint64_t start, end; /* addresses */
};

struct line_search {
	struct symbols *symbols;
	const struct query *query;
	enum attribution_mode mode;
	struct object *object;
	uint32_t unit;
	struct map matches; /* file -> does it end as the user typed? */
	ARRAY(struct line_hit) hits;
	unsigned below, above; /* nearest lines with code, 0: none */
	uint32_t below_file, above_file;
	bool has_file, has_lines;
};

static bool file_matches(struct line_search *search, uint32_t file)
{
	uint32_t matches = map_get(&search->matches, file, 0);

	if (matches == MAP_NONE) {
		const char *path = texts_get(&search->symbols->texts, file);
		matches = path && path_has_tail(path, search->query->file);
		map_set(&search->matches, file, 0, matches);
	}
	return matches;
}

static void note_line(struct line_search *search, uint32_t file, unsigned line)
{
	unsigned wanted = search->query->line;

	if (line > wanted && (!search->above || line < search->above)) {
		search->above = line;
		search->above_file = file;
	} else if (line && line < wanted && line > search->below) {
		search->below = line;
		search->below_file = file;
	}
}

static void visit_line(void *context, const struct attribution *at)
{
	struct line_search *search = context;

	if (!file_matches(search, at->file))
		return;
	note_line(search, at->file, at->line);
	if (at->line != search->query->line)
		return;
	*array_add(&search->hits) = (struct line_hit){
		.object = search->object->id,
		.unit = search->unit,
		.file = at->file,
		.function = at->function,
		.start = at->start,
		.end = at->end,
	};
}

typedef void unit_visit(struct line_search *search, struct unit *unit);

/* What attribution to lines makes of the unit, which is kept: by the pieces that are in scope. */
static void visit_pieces(struct line_search *search, struct unit *unit)
{
	struct symbols *symbols = search->symbols;

	unit_decode(symbols, search->object, unit);
	for (size_t i = 0; i < unit->piece_count; i++) {
		const struct place *place = symbols->places.items[unit->pieces[i].place];
		struct attribution at = {.file = place->file,
					 .line = place->shown.line,
					 .function = FUNCTION_NONE};
		visit_line(search, &at);
	}
}

/* The same where units are attributed to functions, or out of scope. */
static void visit_attributions(struct line_search *search, struct unit *unit)
{
	struct rows rows = {0};
	struct frames frames = {0};

	rows_read(search->symbols, search->object, unit, &rows);
	frames_read(search->symbols, search->object, unit, NULL, NULL, &frames);
	frames_flatten(&frames);
	attribution_walk(search->symbols, &rows, &frames, search->mode, visit_line, search);
	rows_clear(&rows);
	frames_clear(&frames);
}

static bool unit_matches(struct line_search *search, const struct unit *unit)
{
	for (size_t i = 0; i < unit->file_count; i++) {
		if (file_matches(search, unit->files[i])) {
			search->has_file = true;
			return true;
		}
	}
	return unit->files_unknown;
}

/* Decodes the units with a matching file of all objects that are (or are not) in scope. */
static void search_units(struct line_search *search, bool in_scope, unit_visit *visit)
{
	for (size_t i = 0; i < search->symbols->objects.count; i++) {
		struct object *object = search->symbols->objects.items[i];
		if (object->shown.in_scope != in_scope || !query_has(search->query, object))
			continue;
		search->object = object;
		units_read_files(search->symbols, object);
		search->has_lines |= object->units.count > 0;
		for (size_t j = 0; j < object->units.count; j++) {
			search->unit = (uint32_t)j;
			if (unit_matches(search, &object->units.items[j]))
				visit(search, &object->units.items[j]);
		}
	}
}

static void offer_files(struct line_search *search, struct nearest *nearest)
{
	const char *wanted = path_base(search->query->file);

	for (size_t i = 0; i < search->symbols->namesakes.count; i++) {
		uint32_t file = search->symbols->namesakes.items[i].files.items[0];
		const char *base = path_base(texts_get(&search->symbols->texts, file));
		nearest_offer(nearest, base, name_distance(base, wanted));
	}
}

static int no_line(struct line_search *search, struct error *error)
{
	const struct query *query = search->query;
	struct symbols *symbols = search->symbols;
	struct nearest nearest = {0};

	if (!search->has_lines)
		return error_set(error, ENOENT,
				 "%s cannot be found without debug information: build the program "
				 "with -g or install its debug symbols, or name a function",
				 query->text);
	if (search->above || search->below) {
		AUTO(text)
		char *below = text_format("%s:%u", name_of_file(symbols, search->below_file),
					  search->below);
		AUTO(text)
		char *above = text_format("%s:%u", name_of_file(symbols, search->above_file),
					  search->above);
		bool both = search->above && search->below;
		return error_set(error, ENXIO,
				 "no code at %s; the nearest lines with code are %s%s%s",
				 query->text, search->below ? below : "", both ? " and " : "",
				 search->above ? above : "");
	}
	if (search->has_file)
		return error_set(error, ENOENT,
				 "no code at %s: the program has no code of that file",
				 query->text);
	name_of_file(symbols, 0);
	offer_files(search, &nearest);
	AUTO(text) char *others = nearest_text(&nearest, "; nearest: ");
	return error_set(error, nearest.count ? ENXIO : ENOENT,
			 "no source file %s in the program's debug information%s", query->file,
			 others);
}

/* Drops the hits in files other than the one meant; an error if that is not clear. */
static int choose_file(struct line_search *search, struct error *error)
{
	const struct line_hit *first = &search->hits.items[0];
	uint32_t file = first->file;
	struct nearest others = {0};
	bool is_clear = true;

	for (size_t i = 0; i < search->hits.count; i++) {
		uint32_t other = search->hits.items[i].file;
		const char *name = name_of_file(search->symbols, other);
		nearest_offer(&others, name, 1);
		is_clear &= other == first->file;
		if (strcmp(name, search->query->file) == 0)
			file = other;
	}
	if (!is_clear && strcmp(name_of_file(search->symbols, file), search->query->file) != 0) {
		AUTO(text) char *names = nearest_text(&others, ": ");
		return error_set(error, ENOTUNIQ, "several source files end in %s%s",
				 search->query->file, names);
	}
	size_t kept = 0;
	for (size_t i = 0; i < search->hits.count; i++) {
		if (search->hits.items[i].file == file)
			search->hits.items[kept++] = search->hits.items[i];
	}
	search->hits.count = kept;
	return 0;
}

/* The hits of the first object that has any become the place. */
static uint32_t place_from_hits(struct line_search *search)
{
	struct symbols *symbols = search->symbols;
	const struct line_hit *first = &search->hits.items[0];
	struct object *object = symbols_open(symbols, first->object);
	uint32_t id =
		place_of_line(symbols, object, first->file, search->query->line, first->function);
	struct place *place = symbols->places.items[id];
	bool is_attributed = symbols->granularity == TARGET_LINE && search->mode == ATTRIBUTE_LINES;
	struct ranges code = {0};

	for (size_t i = 0; i < search->hits.count; i++) {
		const struct line_hit *hit = &search->hits.items[i];
		if (hit->object != first->object)
			continue;
		if (!is_attributed && !place->is_explicit)
			object_code(object, hit->start, hit->end, &code);
	}
	for (size_t i = 0; i < code.count; i++)
		place_add_range(symbols, id, code.items[i].start, code.items[i].end);
	place->is_explicit |= !is_attributed;
	ranges_clear(&code);
	return id;
}

static void line_search_clear(struct line_search *search)
{
	map_clear(&search->matches);
	array_free(&search->hits);
}

int search_line_place(struct symbols *symbols, const struct query *query, uint32_t *place,
		      struct error *error)
{
	struct line_search search = {.symbols = symbols, .query = query, .mode = ATTRIBUTE_LINES};

	search_units(&search, true,
		     symbols->granularity == TARGET_LINE ? visit_pieces : visit_attributions);
	if (search.hits.count == 0) {
		/* Out of scope, but the user names it. */
		search.mode = ATTRIBUTE_RAW;
		search_units(&search, true, visit_attributions);
		if (search.hits.count == 0)
			search_units(&search, false, visit_attributions);
	}
	int result = search.hits.count ? choose_file(&search, error) : no_line(&search, error);
	if (result == 0)
		*place = place_from_hits(&search);
	line_search_clear(&search);
	return result;
}

/* How good a row is for a breakpoint: the start of a statement with code. */
static int row_quality(const struct rows *rows, size_t i)
{
	return 2 * rows->items[i].is_statement + (rows_end(rows, i) > rows->items[i].address);
}

/*
 * The copy of the function that a row belongs to. Compilers put rows of a caller inside the code of
 * what it inlines, so that is not always the innermost one: of the chain, it is the function that is
 * declared last before the line.
 */
static uint32_t owner_of_row(const struct symbols *symbols, const struct frames *frames,
			     const struct row *row)
{
	uint32_t innermost = frames_at(frames, row->address), owner = innermost;
	unsigned declared = 0;

	for (uint32_t at = innermost; at != FRAME_NONE; at = frames->items[at].parent) {
		uint32_t id = frames->items[at].function;
		if (id == FUNCTION_NONE)
			continue;
		const struct function *function = &symbols->functions.items[id];
		if (function->file == row->file && function->line <= row->line &&
		    function->line > declared) {
			declared = function->line;
			owner = at;
		}
	}
	return owner;
}

struct owner_row {
	uint32_t file;
	uint64_t address;
	int quality; /* -1: none */
};

static void add_address(struct line_search *search, uint32_t file, uint64_t address)
{
	*array_add(&search->hits) = (struct line_hit){
		.object = search->object->id,
		.unit = search->unit,
		.file = file,
		.start = address,
	};
}

static bool is_wanted_row(struct line_search *search, const struct row *row)
{
	return !row->is_end && row->line == search->query->line && file_matches(search, row->file);
}

/* Of each copy of the function that has the line, its best row. */
static void visit_owners(struct line_search *search, const struct rows *rows,
			 const struct frames *frames)
{
	struct owner_row *best = memory_new(frames->count + 1, sizeof(*best));

	for (size_t i = 0; i <= frames->count; i++)
		best[i].quality = -1;
	for (size_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->items[i];
		if (!is_wanted_row(search, row))
			continue;
		uint32_t owner = owner_of_row(search->symbols, frames, row);
		struct owner_row *own = &best[owner == FRAME_NONE ? frames->count : owner];
		int quality = row_quality(rows, i);
		if (quality > own->quality)
			*own = (struct owner_row){.file = row->file,
						  .address = row->address,
						  .quality = quality};
	}
	for (size_t i = 0; i <= frames->count; i++) {
		if (best[i].quality >= 0)
			add_address(search, best[i].file, best[i].address);
	}
	free(best);
}

static void visit_rows(struct line_search *search, struct unit *unit)
{
	struct rows rows = {0};
	struct frames frames = {0};
	bool has_row = false;

	rows_read(search->symbols, search->object, unit, &rows);
	for (size_t i = 0; i < rows.count; i++) {
		const struct row *row = &rows.items[i];
		if (!row->is_end && row->line && file_matches(search, row->file))
			note_line(search, row->file, row->line);
		has_row |= is_wanted_row(search, row);
	}
	if (has_row) {
		frames_read(search->symbols, search->object, unit, NULL, NULL, &frames);
		frames_flatten(&frames);
		visit_owners(search, &rows, &frames);
	}
	rows_clear(&rows);
	frames_clear(&frames);
}

static bool is_wanted_call(struct line_search *search, const struct frame *frame)
{
	return frame->call_line == search->query->line && frame->call_file &&
	       file_matches(search, frame->call_file);
}

/*
 * A line that only calls what is inlined has no row: in each copy of its function it starts with
 * the first such call.
 */
static void visit_calls(struct line_search *search, struct unit *unit)
{
	struct frames frames = {0};
	struct map first = {0}; /* caller -> frame with the lowest entry */

	frames_read(search->symbols, search->object, unit, NULL, NULL, &frames);
	for (uint32_t i = 0; i < frames.count; i++) {
		const struct frame *frame = &frames.items[i];
		if (!is_wanted_call(search, frame))
			continue;
		uint32_t other = map_get(&first, frame->parent, frame->call_file);
		if (other == MAP_NONE || frames.items[other].entry > frame->entry)
			map_set(&first, frame->parent, frame->call_file, i);
	}
	for (uint32_t i = 0; i < frames.count; i++) {
		const struct frame *frame = &frames.items[i];
		if (is_wanted_call(search, frame) &&
		    map_get(&first, frame->parent, frame->call_file) == i)
			add_address(search, frame->call_file, frame->entry);
	}
	frames_clear(&frames);
	map_clear(&first);
}

int search_line_addresses(struct symbols *symbols, const struct query *query,
			  struct address_list *addresses, struct error *error)
{
	struct line_search search = {.symbols = symbols, .query = query};

	search_units(&search, true, visit_rows);
	if (search.hits.count == 0)
		search_units(&search, true, visit_calls);
	if (search.hits.count == 0)
		search_units(&search, false, visit_rows);
	int result = search.hits.count ? choose_file(&search, error) : no_line(&search, error);
	for (size_t i = 0; result == 0 && i < search.hits.count; i++) {
		const struct line_hit *hit = &search.hits.items[i];
		const struct object *object = symbols_open(symbols, hit->object);
		uint64_t offset;
		if (object_offset(object, hit->start, &offset))
			address_add(addresses, object, offset);
	}
	line_search_clear(&search);
	return result;
}
