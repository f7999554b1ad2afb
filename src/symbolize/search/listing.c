/* SPDX-License-Identifier: BSD-2-Clause */
/* listing - goes over symbol tables, notes and units of the objects in scope. */
#include "symbolize/listing.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/text.h"
#include "symbolize/dwarf/unit.h"
#include "symbolize/internal.h"
#include "symbolize/language/demangle.h"
#include "symbolize/parser/parser.h"
#include "symbolize/search/probes.h"

#include <stdio.h>
#include <string.h>

/* A name that the shell would have to quote is of no use on a command line; lever.h's are known. */
static void print_name(FILE *out, const char *name)
{
	AUTO(text) char *plain = strpbrk(name, "(<") ? demangle_plain(name) : text_copy(name);

	if (*plain && *plain != '_' && !text_starts_with(plain, "lever_") &&
	    !strpbrk(plain, " <>()[*&\"'`$;\n"))
		fprintf(out, "%s\n", plain);
}

static void list_functions(FILE *out, struct symbols *symbols, struct object *object)
{
	struct interner *texts = &symbols->sources.texts;
	struct symtab *symtab = object_symtab(object, texts);

	for (size_t i = 0; i < symtab->count; i++) {
		struct symtab_entry *entry = &symtab->items[i];
		const char *file = interner_text(texts, entry->file);
		if (!entry->is_part && !(file && !strcmp(path_base(file), "crtstuff.c")))
			print_name(out, symtab_name(entry, texts));
	}
}

static void list_probe(void *context, const struct object *object, const struct probe *probe)
{
	(void)object;
	fprintf(context, "%s:%s\n", probe->provider, probe->name);
}

static void list_sources(FILE *out, struct object *object)
{
	struct units *units = units_read(object);

	for (size_t i = 0; i < units->count; i++) {
		Dwarf_Die die = units->items[i].die;
		const char *name = dwarf_diename(&die), *directory = unit_directory(&die);
		if (!name || (*name != '/' && !directory))
			continue;
		AUTO(text) char *path = path_clean(directory ? directory : "", name);
		if (!strchr(path, '\n'))
			fprintf(out, "%s\n", path);
	}
}

char *listing_of(struct symbols *symbols, enum listing_kind kind)
{
	char *lines = NULL;
	size_t size;

	if (symbols->parser)
		return parser_listing(symbols->parser, kind);
	FILE *out = open_memstream(&lines, &size);
	for (size_t i = 0; i < symbols->objects.count; i++) {
		struct object *object = symbols->objects.items[i];
		if (!object->shown.in_scope)
			continue;
		if (kind == LISTING_FUNCTIONS)
			list_functions(out, symbols, object);
		else if (kind == LISTING_PROBES)
			probes_visit(object, list_probe, out);
		else
			list_sources(out, object);
	}
	fclose(out);
	return lines;
}
