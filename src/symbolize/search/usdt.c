/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usdt - statically defined probes, which SystemTap's sys/sdt.h puts into .note.stapsdt.
 *
 * A note has three addresses (the probe, the link-time address of .stapsdt.base, the semaphore or
 * 0) and three texts (provider, name, arguments). If a tool moved the sections after linking,
 * .stapsdt.base moved with them, and the difference corrects the addresses.
 */
#include "base/cleanup.h"
#include "base/text.h"
#include "symbolize/internal.h"
#include "symbolize/location/location_name.h"
#include "symbolize/nearest.h"
#include "symbolize/parser/parser.h"
#include "symbolize/search/probes.h"
#include "symbolize/search/query.h"

#include <errno.h>
#include <string.h>

#define NOTE_STAPSDT 3

/* A text that ends before `end`, or NULL; advances `at`. */
static const char *note_text(const char **at, const char *end)
{
	const char *text = *at;
	size_t length = strnlen(text, (size_t)(end - text));

	if (text + length == end)
		return NULL;
	*at = text + length + 1;
	return text;
}

static bool probe_read(const struct object *object, const char *content, size_t size,
		       struct probe *probe)
{
	size_t width = object->shown.is_32_bit ? 4 : 8;
	uint64_t numbers[3] = {0};

	if (size < 3 * width)
		return false;
	for (size_t i = 0; i < 3; i++)
		memcpy(&numbers[i], content + i * width, width); /* little endian was checked */
	const char *at = content + 3 * width;
	probe->address = numbers[0];
	probe->base = numbers[1];
	probe->semaphore = numbers[2];
	probe->provider = note_text(&at, content + size);
	probe->name = probe->provider ? note_text(&at, content + size) : NULL;
	return probe->name != NULL;
}

static bool probe_location(const struct object *object, const struct probe *probe,
			   struct symbols_address *found)
{
	GElf_Shdr base;
	uint64_t moved = 0;

	if (object_section(object->elf, ".stapsdt.base", &base) && probe->base)
		moved = base.sh_addr - probe->base;
	*found = (struct symbols_address){.object = object->id};
	if (!object_offset(object, probe->address + moved, &found->offset))
		return false;
	return !probe->semaphore ||
	       object_offset(object, probe->semaphore + moved, &found->semaphore_offset);
}

struct probe_search {
	struct symbols *symbols;
	struct probe wanted;
	struct symbols_addresses *found;
	struct nearest nearest;
};

static void probe_offer(struct probe_search *search, const struct probe *probe)
{
	AUTO(text)
	char *wanted = text_format("%s:%s", search->wanted.provider, search->wanted.name);
	uint32_t name = location_name_add(search->symbols, "%s:%s", probe->provider, probe->name);
	const char *text = interner_text(&search->symbols->sources.texts, name);

	nearest_offer(&search->nearest, text, nearest_distance(text, wanted));
}

static void compare_probe(void *context, const struct object *object, const struct probe *probe)
{
	struct probe_search *search = context;
	struct symbols_address found;

	if (strcmp(probe->provider, search->wanted.provider) != 0 ||
	    strcmp(probe->name, search->wanted.name) != 0) {
		probe_offer(search, probe);
		return;
	}
	if (probe_location(object, probe, &found))
		*array_add(search->found) = found;
}

void probes_visit(const struct object *object, probe_visitor *visit, void *context)
{
	GElf_Shdr header;
	Elf_Data *notes = object_section(object->elf, ".note.stapsdt", &header);
	size_t at = 0, name_at, content_at;
	GElf_Nhdr note;

	while (notes && notes->d_buf &&
	       (at = gelf_getnote(notes, at, &note, &name_at, &content_at))) {
		const char *start = notes->d_buf;
		struct probe probe;
		if (note.n_type == NOTE_STAPSDT && note.n_namesz == sizeof("stapsdt") &&
		    memcmp(start + name_at, "stapsdt", sizeof("stapsdt")) == 0 &&
		    probe_read(object, start + content_at, note.n_descsz, &probe))
			visit(context, object, &probe);
	}
}

int symbols_usdt(struct symbols *symbols, const char *provider, const char *probe,
		 struct symbols_addresses *addresses, struct error *error)
{
	struct probe_search search = {.symbols = symbols,
				      .wanted = {.provider = provider, .name = probe},
				      .found = addresses};
	size_t before = addresses->count;

	if (symbols->parser)
		return parser_usdt(symbols->parser, provider, probe, addresses, error);
	for (size_t i = 0; i < symbols->objects.count; i++)
		probes_visit(symbols->objects.items[i], compare_probe, &search);
	if (addresses->count > before)
		return 0;
	AUTO(text) char *others = nearest_text(&search.nearest, "; nearest: ");
	return error_set(error, ENOENT,
			 "no USDT probe %s:%s in the program or its libraries%s; "
			 "`readelf -n FILE` lists the probes of a binary",
			 provider, probe, others);
}
