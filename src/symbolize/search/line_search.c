/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line_search - the code of FILE:LINE.
 *
 * Only units whose file table has a matching file are decoded.
 */
#include "base/path.h"
#include "symbolize/dwarf/attribution.h"
#include "symbolize/dwarf/file_table.h"
#include "symbolize/location/location_name.h"
#include "symbolize/nearest.h"
#include "symbolize/search/query.h"
#include "symbolize/skid.h"

#include "base/cleanup.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

struct line_match {
	uint32_t object, unit, file, function;
	uint64_t start, end; /* addresses */
};

struct line_search {
	struct symbols *symbols;
	const struct query *query;
	enum attribution_mode mode;
	struct object *object;
	uint32_t unit;
	struct hash_map path_matches; /* file -> does its path end in the typed one? */
	ARRAY(struct line_match) matches;
	unsigned below, above; /* nearest lines with code, 0: none */
	uint32_t below_file, above_file;
	bool has_file, has_lines;
};

static bool file_matches(struct line_search *search, uint32_t file)
{
	uint32_t path_matches = hash_map_get(&search->path_matches, file, 0);

	if (path_matches == HASH_MAP_NONE) {
		const char *path = interner_text(&search->symbols->sources.texts, file);
		path_matches = path && path_has_tail(path, search->query->file);
		hash_map_set(&search->path_matches, file, 0, path_matches);
	}
	return path_matches;
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
	*array_add(&search->matches) = (struct line_match){
		.object = search->object->id,
		.unit = search->unit,
		.file = at->file,
		.function = at->function,
		.start = at->start,
		.end = at->end,
	};
}

typedef void unit_visit(struct line_search *search, struct unit *unit);

/* In scope, where units are attributed to lines: by the unit's decoded pieces. */
static void visit_pieces(struct line_search *search, struct unit *unit)
{
	struct symbols *symbols = search->symbols;

	unit_decode(symbols, search->object, unit);
	for (size_t i = 0; i < unit->piece_count; i++) {
		const struct location_record *location =
			symbols->locations.items[unit->pieces[i].location];
		struct attribution at = {.file = location->file,
					 .line = location->shown.line,
					 .function = FUNCTION_NONE};
		visit_line(search, &at);
	}
}

/* Where units are attributed to functions, or out of scope: attributes anew. */
static void visit_attributions(struct line_search *search, struct unit *unit)
{
	struct line_table rows = {0};
	struct inline_tree frames = {0};

	line_table_read(&search->symbols->sources, search->object, unit, &rows);
	inline_tree_read(&search->symbols->sources, search->object, unit, NULL, NULL, &frames);
	inline_tree_index(&frames);
	attribution_walk(&search->symbols->sources, &rows, &frames, search->mode, visit_line,
			 search);
	line_table_clear(&rows);
	inline_tree_clear(&frames);
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

/* Visits the units with a matching file, of objects in scope or of those out of it. */
static void search_units(struct line_search *search, bool in_scope, unit_visit *visit)
{
	for (size_t i = 0; i < search->symbols->objects.count; i++) {
		struct object *object = search->symbols->objects.items[i];
		if (object->shown.in_scope != in_scope || !query_has(search->query, object))
			continue;
		search->object = object;
		units_read_file_tables(&search->symbols->sources, object);
		search->has_lines |= object->units->count > 0;
		for (size_t j = 0; j < object->units->count; j++) {
			search->unit = (uint32_t)j;
			if (unit_matches(search, &object->units->items[j]))
				visit(search, &object->units->items[j]);
		}
	}
}

static void offer_files(struct line_search *search, struct nearest *nearest)
{
	const char *wanted = path_base(search->query->file);

	for (size_t i = 0; i < search->symbols->basename_groups.count; i++) {
		uint32_t file = search->symbols->basename_groups.items[i].files.items[0];
		const char *base = path_base(interner_text(&search->symbols->sources.texts, file));
		nearest_offer(nearest, base, nearest_distance(base, wanted));
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
		char *below =
			text_format("%s:%u", location_name_of_file(symbols, search->below_file),
				    search->below);
		AUTO(text)
		char *above =
			text_format("%s:%u", location_name_of_file(symbols, search->above_file),
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
	location_name_of_file(symbols, 0);
	offer_files(search, &nearest);
	AUTO(text) char *others = nearest_text(&nearest, "; nearest: ");
	return error_set(error, nearest.count ? ENXIO : ENOENT,
			 "no source file %s in the program's debug information%s", query->file,
			 others);
}

/* Keeps the matches of one file; an error if several files match. */
static int choose_file(struct line_search *search, struct error *error)
{
	const struct line_match *first = &search->matches.items[0];
	uint32_t file = first->file;
	struct nearest others = {0};
	bool is_clear = true;

	for (size_t i = 0; i < search->matches.count; i++) {
		uint32_t other = search->matches.items[i].file;
		const char *name = location_name_of_file(search->symbols, other);
		nearest_offer(&others, name, 1);
		is_clear &= other == first->file;
		if (strcmp(name, search->query->file) == 0)
			file = other;
	}
	if (!is_clear &&
	    strcmp(location_name_of_file(search->symbols, file), search->query->file) != 0) {
		AUTO(text) char *names = nearest_text(&others, ": ");
		return error_set(error, ENOTUNIQ, "several source files end in %s%s",
				 search->query->file, names);
	}
	size_t kept = 0;
	for (size_t i = 0; i < search->matches.count; i++) {
		if (search->matches.items[i].file == file)
			search->matches.items[kept++] = search->matches.items[i];
	}
	search->matches.count = kept;
	return 0;
}

/* Makes the location of the matches in the first object that has some. */
static uint32_t location_from_matches(struct line_search *search)
{
	struct symbols *symbols = search->symbols;
	const struct line_match *first = &search->matches.items[0];
	struct object *object = symbols_open(symbols, first->object);
	uint32_t id = location_of_line(symbols, object, first->file, search->query->line,
				       first->function);
	struct location_record *location = symbols->locations.items[id];
	bool is_attributed = symbols->granularity == TARGET_LINE && search->mode == ATTRIBUTE_LINES;
	struct ranges code = {0};

	for (size_t i = 0; i < search->matches.count; i++) {
		const struct line_match *match = &search->matches.items[i];
		if (match->object != first->object)
			continue;
		if (!is_attributed && !location->is_explicit)
			object_code(object, skid_boundary(&symbols->skid, object, match->start),
				    skid_boundary(&symbols->skid, object, match->end), &code);
	}
	for (size_t i = 0; i < code.count; i++)
		location_add_range(symbols, id, code.items[i].start, code.items[i].end);
	location->is_explicit |= !is_attributed;
	ranges_clear(&code);
	return id;
}

static void line_search_clear(struct line_search *search)
{
	hash_map_clear(&search->path_matches);
	array_free(&search->matches);
}

int search_line_location(struct symbols *symbols, const struct query *query, uint32_t *location,
			 struct error *error)
{
	struct line_search search = {.symbols = symbols, .query = query, .mode = ATTRIBUTE_LINES};

	search_units(&search, true,
		     symbols->granularity == TARGET_LINE ? visit_pieces : visit_attributions);
	if (search.matches.count == 0) {
		/* Out of scope, but named by the user. */
		search.mode = ATTRIBUTE_RAW;
		search_units(&search, true, visit_attributions);
		if (search.matches.count == 0)
			search_units(&search, false, visit_attributions);
	}
	int result = search.matches.count ? choose_file(&search, error) : no_line(&search, error);
	if (result == 0)
		*location = location_from_matches(&search);
	line_search_clear(&search);
	return result;
}

/* Rank of a row for a breakpoint: best is the start of a statement with code. */
static int row_quality(const struct line_table *rows, size_t i)
{
	return 2 * rows->items[i].is_statement +
	       (line_table_row_end(rows, i) > rows->items[i].address);
}

/*
 * The copy of the function that a row belongs to. Compilers put rows of a caller into the code of
 * inlined functions, so it is not always the innermost one. Of the chain, it is the function with
 * the last declaration before the line.
 */
static uint32_t owner_of_row(const struct symbols *symbols, const struct inline_tree *frames,
			     const struct line_row *row)
{
	uint32_t innermost = inline_tree_at(frames, row->address), owner = innermost;
	unsigned declared = 0;

	for (uint32_t at = innermost; at != FRAME_NONE; at = frames->items[at].parent) {
		uint32_t id = frames->items[at].function;
		if (id == FUNCTION_NONE)
			continue;
		const struct function *function = &symbols->sources.functions.items[id];
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
	*array_add(&search->matches) = (struct line_match){
		.object = search->object->id,
		.unit = search->unit,
		.file = file,
		.start = address,
	};
}

static bool is_wanted_row(struct line_search *search, const struct line_row *row)
{
	return !row->is_end && row->line == search->query->line && file_matches(search, row->file);
}

/* Of each copy of the function that has the line, its best row. */
static void visit_owners(struct line_search *search, const struct line_table *rows,
			 const struct inline_tree *frames)
{
	struct owner_row *best = memory_new(frames->count + 1, sizeof(*best));

	for (size_t i = 0; i <= frames->count; i++)
		best[i].quality = -1;
	for (size_t i = 0; i < rows->count; i++) {
		const struct line_row *row = &rows->items[i];
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
	struct line_table rows = {0};
	struct inline_tree frames = {0};
	bool has_row = false;

	line_table_read(&search->symbols->sources, search->object, unit, &rows);
	for (size_t i = 0; i < rows.count; i++) {
		const struct line_row *row = &rows.items[i];
		if (!row->is_end && row->line && file_matches(search, row->file))
			note_line(search, row->file, row->line);
		has_row |= is_wanted_row(search, row);
	}
	if (has_row) {
		inline_tree_read(&search->symbols->sources, search->object, unit, NULL, NULL,
				 &frames);
		inline_tree_index(&frames);
		visit_owners(search, &rows, &frames);
	}
	line_table_clear(&rows);
	inline_tree_clear(&frames);
}

static bool is_wanted_call(struct line_search *search, const struct inline_frame *frame)
{
	return frame->call_line == search->query->line && frame->call_file &&
	       file_matches(search, frame->call_file);
}

/*
 * A line that consists of inlined calls has no row: in each copy of its function it starts with the
 * first of these calls.
 */
static void visit_calls(struct line_search *search, struct unit *unit)
{
	struct inline_tree frames = {0};
	struct hash_map first = {0}; /* caller -> frame with the lowest entry */

	inline_tree_read(&search->symbols->sources, search->object, unit, NULL, NULL, &frames);
	for (uint32_t i = 0; i < frames.count; i++) {
		const struct inline_frame *frame = &frames.items[i];
		if (!is_wanted_call(search, frame))
			continue;
		uint32_t other = hash_map_get(&first, frame->parent, frame->call_file);
		if (other == HASH_MAP_NONE || frames.items[other].entry > frame->entry)
			hash_map_set(&first, frame->parent, frame->call_file, i);
	}
	for (uint32_t i = 0; i < frames.count; i++) {
		const struct inline_frame *frame = &frames.items[i];
		if (is_wanted_call(search, frame) &&
		    hash_map_get(&first, frame->parent, frame->call_file) == i)
			add_address(search, frame->call_file, frame->entry);
	}
	inline_tree_clear(&frames);
	hash_map_clear(&first);
}

int search_line_addresses(struct symbols *symbols, const struct query *query,
			  struct symbols_addresses *addresses, struct error *error)
{
	struct line_search search = {.symbols = symbols, .query = query};

	search_units(&search, true, visit_rows);
	if (search.matches.count == 0)
		search_units(&search, true, visit_calls);
	if (search.matches.count == 0)
		search_units(&search, false, visit_rows);
	int result = search.matches.count ? choose_file(&search, error) : no_line(&search, error);
	for (size_t i = 0; result == 0 && i < search.matches.count; i++) {
		const struct line_match *match = &search.matches.items[i];
		const struct object *object = symbols_open(symbols, match->object);
		uint64_t offset;
		if (object_offset(object, match->start, &offset))
			address_add(addresses, object, offset);
	}
	line_search_clear(&search);
	return result;
}
