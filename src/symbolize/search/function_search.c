/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * function_search - the copies of a function: its own body and its inlined copies.
 *
 * Programs in scope come first, then libraries in scope, then the rest: what has the function ends
 * the search.
 */
#include "base/path.h"
#include "symbolize/dwarf/dwarf_prefilter.h"
#include "symbolize/location/location_name.h"
#include "symbolize/nearest.h"
#include "symbolize/search/query.h"

#include "base/cleanup.h"

#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#define IDENTIFIER "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

enum object_rank { RANK_PROGRAM, RANK_LIBRARY, RANK_OUT_OF_SCOPE, RANKS };

struct function_search {
	struct symbols *symbols;
	const struct query *query;
	char *base;           /* plain identifier of the wanted function */
	char *wanted;         /* demangled */
	bool is_plain;        /* the base is part of the linker name */
	struct hash_map fits; /* function -> fit */
	struct function_matches *matches;
};

static enum demangle_fit name_fit(struct function_search *search, const char *name, uint32_t file)
{
	const char *path = interner_text(&search->symbols->sources.texts, file);

	if (search->query->file && (!path || !path_has_tail(path, search->query->file)))
		return FIT_NONE;
	return demangle_fits(name, search->wanted);
}

/* A linker name contains the plain identifier, so most functions need no demangling. */
static enum demangle_fit function_fit(struct function_search *search, uint32_t id)
{
	uint32_t known = hash_map_get(&search->fits, id, 0);
	if (known != HASH_MAP_NONE)
		return (enum demangle_fit)known;
	struct symbols *symbols = search->symbols;
	const struct function *function = &symbols->sources.functions.items[id];
	enum demangle_fit fit = FIT_NONE;
	if (!search->is_plain ||
	    strstr(interner_text(&symbols->sources.texts, function->linker), search->base)) {
		const char *name = interner_text(&symbols->sources.texts,
						 sources_function_name(&symbols->sources, id));
		fit = name_fit(search, name, symbols->sources.functions.items[id].file);
	}
	hash_map_set(&search->fits, id, 0, fit);
	return fit;
}

static bool is_wanted(void *context, uint32_t function)
{
	return function != FUNCTION_NONE && function_fit(context, function) != FIT_NONE;
}

static void search_unit(struct function_search *search, struct object *object, uint32_t unit)
{
	struct inline_tree frames = {0};

	inline_tree_read(&search->symbols->sources, object, &object->units->items[unit], is_wanted,
			 search, &frames);
	for (size_t i = 0; i < frames.count; i++) {
		struct inline_frame *frame = &frames.items[i];
		*array_add(search->matches) = (struct function_match){
			.object = object->id,
			.function = frame->function,
			.unit = unit,
			.fit = function_fit(search, frame->function),
			.is_inlined = frame->is_inlined,
			.entry = frame->entry,
			.code = frame->code,
		};
		frame->code = (struct ranges){0}; /* moved */
	}
	inline_tree_clear(&frames);
}

static void add_symbol_match(struct function_search *search, const struct object *object, size_t i,
			     enum demangle_fit fit)
{
	const struct symtab *symtab = &object->symtab;
	const struct symtab_entry *entry = &symtab->items[i];
	/* Of several names of one function, the table shows one. */
	const struct symtab_entry *owner = symtab_at(symtab, entry->start);
	bool is_alias = owner && owner->start == entry->start && !object->is_jit;
	struct function_match *match = array_add(search->matches);

	*match = (struct function_match){
		.object = object->id,
		.function = FUNCTION_NONE,
		.symbol = is_alias ? (size_t)(owner - symtab->items) : i,
		.fit = fit,
		.entry = entry->start,
	};
	ranges_add(&match->code, entry->start, entry->end);
}

static void search_symbols(struct function_search *search, struct object *object)
{
	struct interner *texts = &search->symbols->sources.texts;
	struct symtab *symtab = object_symtab(object, texts);

	for (size_t i = 0; i < symtab->count; i++) {
		struct symtab_entry *entry = &symtab->items[i];
		if (search->is_plain && !strstr(interner_text(texts, entry->name), search->base))
			continue;
		enum demangle_fit fit = name_fit(search, symtab_name(entry, texts), entry->file);
		if (fit != FIT_NONE)
			add_symbol_match(search, object, i, fit);
	}
}

/* The program's own code may be made while it runs. */
static enum object_rank rank_of(const struct object *object)
{
	if (!object->shown.in_scope)
		return RANK_OUT_OF_SCOPE;
	return object->is_main || object->is_jit ? RANK_PROGRAM : RANK_LIBRARY;
}

static void search_objects(struct function_search *search, enum object_rank rank)
{
	for (size_t i = 0; i < search->symbols->objects.count; i++) {
		struct object *object = search->symbols->objects.items[i];
		size_t before = search->matches->count;
		if (rank_of(object) != rank || !query_has(search->query, object))
			continue;
		struct units *units = units_read(object);
		struct dwarf_prefilter *prefilter =
			units->count ?
				dwarf_prefilter_new(object, search->base, DW_TAG_subprogram) :
				NULL;
		for (size_t j = 0; j < units->count; j++) {
			if (dwarf_prefilter_may_have(prefilter, &units->items[j]))
				search_unit(search, object, (uint32_t)j);
		}
		dwarf_prefilter_free(prefilter);
		if (search->matches->count == before)
			search_symbols(search, object);
	}
}

/* Offers the names of symbols in scope, and of functions decoded so far. */
static void offer_names(const struct function_search *search, struct nearest *nearest)
{
	struct symbols *symbols = search->symbols;

	for (size_t i = 0; i < symbols->objects.count; i++) {
		struct object *object = symbols->objects.items[i];
		struct symtab *symtab = &object->symtab;
		if (!object->shown.in_scope)
			continue;
		object_symtab(object, &symbols->sources.texts);
		for (size_t j = 0; j < symtab->count; j++) {
			const char *name = symtab_name(&symtab->items[j], &symbols->sources.texts);
			AUTO(text) char *base = demangle_base(name);
			nearest_offer(nearest, name, nearest_distance(base, search->base));
		}
	}
	for (uint32_t i = 0; i < symbols->sources.functions.count; i++) {
		const char *name = interner_text(&symbols->sources.texts,
						 sources_function_name(&symbols->sources, i));
		AUTO(text) char *base = demangle_base(name);
		nearest_offer(nearest, name, nearest_distance(base, search->base));
	}
}

/* Static functions of one name differ in their files. */
static uint32_t match_file(const struct symbols *symbols, const struct function_match *match)
{
	if (match->function == FUNCTION_NONE)
		return symbols->objects.items[match->object]->symtab.items[match->symbol].file;
	const struct function *function = &symbols->sources.functions.items[match->function];
	return function->is_external ? 0 : function->file;
}

static uint32_t match_name(struct symbols *symbols, const struct function_match *match)
{
	if (match->function == FUNCTION_NONE) {
		struct symtab *symtab = &symbols->objects.items[match->object]->symtab;
		symtab_name(&symtab->items[match->symbol], &symbols->sources.texts);
		return symtab->items[match->symbol].shown;
	}
	return sources_function_name(&symbols->sources, match->function);
}

static void drop_matches(struct function_matches *matches, size_t kept)
{
	for (size_t i = kept; i < matches->count; i++)
		ranges_clear(&matches->items[i].code);
	matches->count = kept;
}

/* Keeps the best matches of the first object that has them. */
static void keep_best(struct function_matches *matches)
{
	struct function_match *best = &matches->items[0];
	size_t kept = 0;

	for (size_t i = 1; i < matches->count; i++) {
		if (matches->items[i].fit > best->fit)
			best = &matches->items[i];
	}
	const struct function_match wanted = *best;
	for (size_t i = 0; i < matches->count; i++) {
		struct function_match match = matches->items[i];
		if (match.fit != wanted.fit || match.object != wanted.object)
			continue;
		matches->items[i] = matches->items[kept];
		matches->items[kept++] = match;
	}
	drop_matches(matches, kept);
}

/* Code that the compiler moved (".cold") under a local symbol, whose file means nothing. */
static bool is_part(const struct symbols *symbols, const struct function_match *match)
{
	return match->function == FUNCTION_NONE &&
	       symbols->objects.items[match->object]->symtab.items[match->symbol].is_part;
}

/* The first match names the location, so it must not be a part. */
static void order_parts(const struct symbols *symbols, struct function_matches *matches)
{
	for (size_t i = 0; i < matches->count; i++) {
		if (is_part(symbols, &matches->items[i]))
			continue;
		struct function_match whole = matches->items[i];
		matches->items[i] = matches->items[0];
		matches->items[0] = whole;
		return;
	}
}

static int check_one(struct function_search *search, struct error *error)
{
	struct symbols *symbols = search->symbols;
	const struct function_match *first = &search->matches->items[0];
	struct nearest names = {0};
	bool is_one = true;

	for (size_t i = 0; i < search->matches->count; i++) {
		const struct function_match *match = &search->matches->items[i];
		if (is_part(symbols, match) &&
		    match_name(symbols, match) == match_name(symbols, first))
			continue;
		uint32_t file = match_file(symbols, match), shown = match_name(symbols, match);
		uint32_t full = shown;
		is_one &= file == match_file(symbols, first) && shown == match_name(symbols, first);
		if (file)
			full = location_name_add(symbols, "%s:%s",
						 location_name_of_file(symbols, file),
						 interner_text(&symbols->sources.texts, shown));
		nearest_offer(&names, interner_text(&symbols->sources.texts, full), 1);
	}
	if (is_one)
		return 0;
	AUTO(text) char *list = nearest_text(&names, ": ");
	return error_set(error, ENOTUNIQ, "%s names several functions%s%s", search->query->text,
			 list, search->matches->count > NEAREST_MOST ? ", ..." : "");
}

int search_function(struct symbols *symbols, const struct query *query,
		    struct function_matches *matches, struct error *error)
{
	struct function_search search = {.symbols = symbols, .query = query, .matches = matches};
	int result;

	search.wanted = demangle(query->function);
	search.base = demangle_base(search.wanted);
	search.is_plain = search.base[strspn(search.base, IDENTIFIER)] == '\0';
	for (int rank = 0; rank < RANKS && matches->count == 0; rank++)
		search_objects(&search, (enum object_rank)rank);
	if (matches->count) {
		keep_best(matches);
		order_parts(symbols, matches);
		result = check_one(&search, error);
	} else {
		struct nearest nearest = {0};
		offer_names(&search, &nearest);
		AUTO(text) char *others = nearest_text(&nearest, "; nearest: ");
		result = error_set(error, nearest.count ? ENXIO : ENOENT,
				   "no function %s in the program%s", query->text, others);
	}
	free(search.wanted);
	free(search.base);
	hash_map_clear(&search.fits);
	return result;
}

void function_matches_clear(struct function_matches *matches)
{
	drop_matches(matches, 0);
	array_free(matches);
}
