/* SPDX-License-Identifier: BSD-2-Clause */
/* pattern_search - whether any function matches a glob, and the nearest names if none does. */
#include "symbolize/nearest.h"
#include "symbolize/parser/parser.h"
#include "symbolize/patterns.h"
#include "symbolize/search/query.h"

#include "base/cleanup.h"
#include "base/text.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

struct pattern_search {
	struct symbols *symbols;
	const char *glob;
	char *literal; /* of the glob, up to its first * or ? that is not at its beginning */
	bool is_found;
	struct nearest nearest;
};

static const char *name_of(struct symbols *symbols, uint32_t function)
{
	return interner_text(&symbols->sources.texts,
			     sources_function_name(&symbols->sources, function));
}

/* By the name's beginning if the glob has one, else by its last part. */
static void offer(struct pattern_search *search, const char *name)
{
	size_t length = strlen(search->literal);
	bool is_anchored = *search->glob != '*' && *search->glob != '?';

	if (!length)
		return;
	AUTO(text) char *base = is_anchored ? text_copy(name) : demangle_base(name);
	if (is_anchored && strlen(base) > length)
		base[length] = '\0';
	nearest_offer(&search->nearest, name, nearest_distance(base, search->literal));
}

static void visit(struct pattern_search *search, const char *name)
{
	search->is_found = search->is_found || demangle_matches_glob(name, search->glob);
	if (!search->is_found)
		offer(search, name);
}

static bool is_matched(void *context, uint32_t function)
{
	struct pattern_search *search = context;

	if (function != FUNCTION_NONE && !search->is_found)
		visit(search, name_of(search->symbols, function));
	return false; /* no frame is kept */
}

/* Functions of which there are only inlined copies stand in the debug information alone. */
static void search_units(struct pattern_search *search, struct object *object)
{
	struct units *units = units_read(object);

	for (size_t i = 0; i < units->count && !search->is_found; i++) {
		struct inline_tree frames = {0};
		inline_tree_read(&search->symbols->sources, object, &units->items[i], is_matched,
				 search, &frames);
		inline_tree_clear(&frames);
	}
}

static void search_symbols(struct pattern_search *search, struct object *object)
{
	struct interner *texts = &search->symbols->sources.texts;
	struct symtab *symtab = object_symtab(object, texts);

	for (size_t i = 0; i < symtab->count && !search->is_found; i++)
		visit(search, symtab_name(&symtab->items[i], texts));
}

bool symbols_name_matches(const char *name, const char *glob)
{
	return demangle_matches_glob(name, glob);
}

int symbols_find_pattern(struct symbols *symbols, const char *glob, bool of_kernel,
			 struct error *error)
{
	if (symbols->parser)
		return parser_find_pattern(symbols->parser, glob, of_kernel, error);
	size_t before = strspn(glob, "*?"), length = strcspn(glob + before, "*?");
	AUTO(text) char *literal = text_format("%.*s", (int)length, glob + before);
	struct pattern_search search = {.symbols = symbols, .glob = glob, .literal = literal};

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < symbols->objects.count && !search.is_found; i++) {
			struct object *object = symbols->objects.items[i];
			if (object->is_kernel != of_kernel)
				continue;
			if (pass)
				search_units(&search, object);
			else
				search_symbols(&search, object);
		}
	if (search.is_found)
		return 0;
	AUTO(text) char *others = nearest_text(&search.nearest, "; nearest: ");
	return error_set(error, search.nearest.count ? -ENXIO : -ENOENT,
			 "no function of the %s matches '%s'%s", of_kernel ? "kernel" : "program",
			 glob, others);
}
