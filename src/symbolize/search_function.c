/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * search_function - the copies of a function: its own body and where it is inlined.
 *
 * Objects in scope come first: if one of them has the function, the others are not searched.
 */
#include "symbolize/mention.h"
#include "symbolize/name.h"
#include "symbolize/path.h"
#include "symbolize/search.h"

#include "base/own.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define IDENTIFIER "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

struct function_search {
	struct symbols *symbols;
	const struct query *query;
	char *base;      /* plain identifier of what is wanted */
	char *wanted;    /* demangled */
	bool is_plain;   /* the base is part of the linker name */
	struct map fits; /* function -> fit */
	struct function_hits *hits;
};

static enum demangle_fit name_fit(struct function_search *search, const char *name, uint32_t file)
{
	const char *path = texts_get(&search->symbols->texts, file);

	if (search->query->file && (!path || !path_has_tail(path, search->query->file)))
		return FIT_NONE;
	return demangle_fits(name, search->wanted);
}

/* A linker name holds the identifiers of what it names: most functions need no demangling. */
static enum demangle_fit function_fit(struct function_search *search, uint32_t id)
{
	uint32_t known = map_get(&search->fits, id, 0);
	if (known != MAP_NONE)
		return (enum demangle_fit)known;
	struct symbols *symbols = search->symbols;
	const struct function *function = &symbols->functions.items[id];
	enum demangle_fit fit = FIT_NONE;
	if (!search->is_plain ||
	    strstr(texts_get(&symbols->texts, function->linker), search->base)) {
		const char *name = texts_get(&symbols->texts, function_name(symbols, id));
		fit = name_fit(search, name, symbols->functions.items[id].file);
	}
	map_set(&search->fits, id, 0, fit);
	return fit;
}

static bool is_wanted(void *context, uint32_t function)
{
	return function != FUNCTION_NONE && function_fit(context, function) != FIT_NONE;
}

static void search_unit(struct function_search *search, struct object *object, uint32_t unit)
{
	struct frames frames = {0};

	frames_read(search->symbols, object, &object->units.items[unit], is_wanted, search,
		    &frames);
	for (size_t i = 0; i < frames.count; i++) {
		struct frame *frame = &frames.items[i];
		*array_add(search->hits) = (struct function_hit){
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
	frames_clear(&frames);
}

static void add_symbol_hit(struct function_search *search, const struct object *object, size_t i,
			   enum demangle_fit fit)
{
	const struct symtab *symtab = &object->symtab;
	const struct symtab_entry *entry = &symtab->items[i];
	/* Of several names of one function, the table shows one. */
	const struct symtab_entry *owner = symtab_at(symtab, entry->start);
	bool is_alias = owner && owner->start == entry->start && !object->is_jit;
	struct function_hit *hit = array_add(search->hits);

	*hit = (struct function_hit){
		.object = object->id,
		.function = FUNCTION_NONE,
		.symbol = is_alias ? (size_t)(owner - symtab->items) : i,
		.fit = fit,
		.entry = entry->start,
	};
	ranges_add(&hit->code, entry->start, entry->end);
}

static void search_symbols(struct function_search *search, struct object *object)
{
	struct texts *texts = &search->symbols->texts;
	struct symtab *symtab = object_symtab(object, texts);

	for (size_t i = 0; i < symtab->count; i++) {
		struct symtab_entry *entry = &symtab->items[i];
		if (search->is_plain && !strstr(texts_get(texts, entry->name), search->base))
			continue;
		enum demangle_fit fit = name_fit(search, symtab_name(entry, texts), entry->file);
		if (fit != FIT_NONE)
			add_symbol_hit(search, object, i, fit);
	}
}

static void search_objects(struct function_search *search, bool in_scope)
{
	for (size_t i = 0; i < search->symbols->objects.count; i++) {
		struct object *object = search->symbols->objects.items[i];
		size_t before = search->hits->count;
		if (object->shown.in_scope != in_scope || !query_has(search->query, object))
			continue;
		struct units *units = units_read(object);
		struct mention *mention = units->count ? mention_new(object, search->base) : NULL;
		for (size_t j = 0; j < units->count; j++) {
			if (mention_in(mention, &units->items[j]))
				search_unit(search, object, (uint32_t)j);
		}
		mention_free(mention);
		if (search->hits->count == before)
			search_symbols(search, object);
	}
}

/* The names to offer instead: of symbols and of functions met so far, in scope. */
static void offer_names(const struct function_search *search, struct nearest *nearest)
{
	struct symbols *symbols = search->symbols;

	for (size_t i = 0; i < symbols->objects.count; i++) {
		struct object *object = symbols->objects.items[i];
		struct symtab *symtab = &object->symtab;
		if (!object->shown.in_scope)
			continue;
		object_symtab(object, &symbols->texts);
		for (size_t j = 0; j < symtab->count; j++) {
			const char *name = symtab_name(&symtab->items[j], &symbols->texts);
			AUTO(text) char *base = demangle_base(name);
			nearest_offer(nearest, name, name_distance(base, search->base));
		}
	}
	for (uint32_t i = 0; i < symbols->functions.count; i++) {
		const char *name = texts_get(&symbols->texts, function_name(symbols, i));
		AUTO(text) char *base = demangle_base(name);
		nearest_offer(nearest, name, name_distance(base, search->base));
	}
}

/* What tells functions of one name apart: the file, unless it is external. */
static uint32_t hit_file(const struct symbols *symbols, const struct function_hit *hit)
{
	if (hit->function == FUNCTION_NONE)
		return symbols->objects.items[hit->object]->symtab.items[hit->symbol].file;
	const struct function *function = &symbols->functions.items[hit->function];
	return function->is_external ? 0 : function->file;
}

static uint32_t hit_name(struct symbols *symbols, const struct function_hit *hit)
{
	if (hit->function == FUNCTION_NONE) {
		struct symtab *symtab = &symbols->objects.items[hit->object]->symtab;
		symtab_name(&symtab->items[hit->symbol], &symbols->texts);
		return symtab->items[hit->symbol].shown;
	}
	return function_name(symbols, hit->function);
}

static void drop_hits(struct function_hits *hits, size_t kept)
{
	for (size_t i = kept; i < hits->count; i++)
		ranges_clear(&hits->items[i].code);
	hits->count = kept;
}

/* Keeps those that fit best, of the first object that has them. */
static void keep_best(struct function_hits *hits)
{
	struct function_hit *best = &hits->items[0];
	size_t kept = 0;

	for (size_t i = 1; i < hits->count; i++) {
		if (hits->items[i].fit > best->fit)
			best = &hits->items[i];
	}
	const struct function_hit wanted = *best;
	for (size_t i = 0; i < hits->count; i++) {
		struct function_hit hit = hits->items[i];
		if (hit.fit != wanted.fit || hit.object != wanted.object)
			continue;
		hits->items[i] = hits->items[kept];
		hits->items[kept++] = hit;
	}
	drop_hits(hits, kept);
}

/* Code that the compiler put elsewhere (".cold"), under a local symbol: its file tells nothing. */
static bool is_part(const struct symbols *symbols, const struct function_hit *hit)
{
	return hit->function == FUNCTION_NONE &&
	       symbols->objects.items[hit->object]->symtab.items[hit->symbol].is_part;
}

/* The first hit gives the place its name: it shall not be a part. */
static void order_parts(const struct symbols *symbols, struct function_hits *hits)
{
	for (size_t i = 0; i < hits->count; i++) {
		if (is_part(symbols, &hits->items[i]))
			continue;
		struct function_hit whole = hits->items[i];
		hits->items[i] = hits->items[0];
		hits->items[0] = whole;
		return;
	}
}

static int check_one(struct function_search *search, struct error *error)
{
	struct symbols *symbols = search->symbols;
	const struct function_hit *first = &search->hits->items[0];
	struct nearest names = {0};
	bool is_one = true;

	for (size_t i = 0; i < search->hits->count; i++) {
		const struct function_hit *hit = &search->hits->items[i];
		if (is_part(symbols, hit) && hit_name(symbols, hit) == hit_name(symbols, first))
			continue;
		uint32_t file = hit_file(symbols, hit), shown = hit_name(symbols, hit);
		uint32_t full = shown;
		is_one &= file == hit_file(symbols, first) && shown == hit_name(symbols, first);
		if (file)
			full = name_add(symbols, "%s:%s", name_of_file(symbols, file),
					texts_get(&symbols->texts, shown));
		nearest_offer(&names, texts_get(&symbols->texts, full), 1);
	}
	if (is_one)
		return 0;
	AUTO(text) char *list = nearest_text(&names, ": ");
	return error_set(error, ENOTUNIQ, "%s names several functions%s%s", search->query->text,
			 list, search->hits->count > NEAREST_MOST ? ", ..." : "");
}

int search_function(struct symbols *symbols, const struct query *query, struct function_hits *hits,
		    struct error *error)
{
	struct function_search search = {.symbols = symbols, .query = query, .hits = hits};
	int result;

	search.wanted = demangle(query->function);
	search.base = demangle_base(search.wanted);
	search.is_plain = search.base[strspn(search.base, IDENTIFIER)] == '\0';
	search_objects(&search, true);
	if (hits->count == 0)
		search_objects(&search, false);
	if (hits->count) {
		keep_best(hits);
		order_parts(symbols, hits);
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
	map_clear(&search.fits);
	return result;
}

void function_hits_clear(struct function_hits *hits)
{
	drop_hits(hits, 0);
	array_free(hits);
}
