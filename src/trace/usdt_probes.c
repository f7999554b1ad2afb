/* SPDX-License-Identifier: BSD-2-Clause */
/* usdt_probes - looks probes up in the notes of binaries. */
#include "trace/usdt_probes.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "symbolize/parser/start.h"
#include "symbolize/scope.h"
#include "symbolize/symbols.h"

#include <errno.h>
#include <string.h>

struct probe {
	char *file, *provider, *name; /* file NULL: any */
	char *shown;
	enum mark_kind kind;
};

struct usdt_probes {
	ARRAY(struct probe) items;
};

struct usdt_probes *usdt_probes_new(void)
{
	return memory_new(1, sizeof(struct usdt_probes));
}

void usdt_probes_free(struct usdt_probes *probes)
{
	if (!probes)
		return;
	for (size_t i = 0; i < probes->items.count; i++) {
		free(probes->items.items[i].file);
		free(probes->items.items[i].provider);
		free(probes->items.items[i].name);
		free(probes->items.items[i].shown);
	}
	array_free(&probes->items);
	free(probes);
}

/* [FILE:]PROVIDER:NAME; FILE may have colons. */
static int add_one(struct usdt_probes *probes, const char *text, enum mark_kind kind,
		   const char *shown, struct error *error)
{
	const char *name = strrchr(text, ':'), *provider = name;

	while (provider > text && provider[-1] != ':')
		provider--;
	if (!name || name == provider || !name[1])
		return error_set(error, -EINVAL,
				 "'%s' is not of the form PROVIDER:NAME or FILE:PROVIDER:NAME",
				 text);
	struct probe *probe = array_add(&probes->items);
	if (provider > text)
		probe->file = text_format("%.*s", (int)(provider - text) - 1, text);
	probe->provider = text_format("%.*s", (int)(name - provider), provider);
	probe->name = text_copy(name + 1);
	probe->kind = kind;
	probe->shown = shown ? text_copy(shown) : text_copy(provider);
	return 0;
}

int usdt_probes_add(struct usdt_probes *probes, const char *text, struct error *error)
{
	AUTO(text) char *copy = text_copy(text);
	char *end = copy, *begin = strsep(&end, ",");

	if (!end)
		return add_one(probes, begin, MARK_INSTANT, NULL, error);
	int code = add_one(probes, begin, MARK_BEGIN, NULL, error);
	if (code)
		return code;
	const char *shown = probes->items.items[probes->items.count - 1].shown;
	return add_one(probes, end, MARK_END, shown, error);
}

static int attach(const struct probe *probe, unsigned number, struct symbols *symbols,
		  struct tracer *tracer, struct error *error)
{
	struct symbols_addresses addresses = {0};
	int code = symbols_usdt(symbols, probe->provider, probe->name, &addresses, error);

	for (size_t i = 0; i < addresses.count && !code; i++) {
		const struct symbols_address *address = &addresses.items[i];
		const struct symbols_object *object = symbols_object(symbols, address->object);
		const struct bpf_uprobe_place place = {
			.fd = object->fd,
			.offset = address->offset,
			.semaphore_offset = address->semaphore_offset,
		};
		code = tracer_add_probe(tracer, number, &place, object->path, error);
	}
	array_free(&addresses);
	return code;
}

static int attach_all(struct usdt_probes *probes, const struct binaries *binaries,
		      struct symbols *known, struct scope *scope, struct tracer *tracer,
		      struct error *error)
{
	int code = 0;
	uint32_t object;

	for (size_t i = 0; i < binaries->count; i++)
		symbols_add_object(known, binaries->items[i], NULL, !i, &object, NULL);
	for (size_t i = 0; i < probes->items.count && !code; i++) {
		const struct probe *probe = &probes->items.items[i];
		struct symbols *alone = probe->file ? symbols_start(TARGET_FUNCTION, scope) : NULL;
		if (alone)
			code = symbols_add_object(alone, probe->file, NULL, true, &object, error);
		if (!code)
			code = attach(probe, (unsigned)i, alone ? alone : known, tracer, error);
		symbols_free(alone);
	}
	return code;
}

int usdt_probes_attach(struct usdt_probes *probes, const struct binaries *binaries,
		       struct tracer *tracer, struct error *error)
{
	struct scope *scope = scope_new();
	struct symbols *known = symbols_start(TARGET_FUNCTION, scope);
	int code = attach_all(probes, binaries, known, scope, tracer, error);

	symbols_free(known);
	scope_free(scope);
	return code;
}

size_t usdt_probes_count(const struct usdt_probes *probes)
{
	return probes->items.count;
}

enum mark_kind usdt_probes_kind(const struct usdt_probes *probes, size_t probe)
{
	return probes->items.items[probe].kind;
}

const char *usdt_probes_name(const struct usdt_probes *probes, size_t probe)
{
	return probes->items.items[probe].shown;
}
