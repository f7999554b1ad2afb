/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_objects - the running kernel as objects: functions from /proc/kallsyms, lines from
 * vmlinux.
 *
 * The kernel runs at another address than vmlinux was linked for (KASLR). The symbol _stext, which
 * both have, gives the difference. Modules and BPF programs have no lines.
 */
#include "base/cleanup.h"
#include "base/memory.h"
#include "symbolize/internal.h"
#include "symbolize/kernel/kernel_debug_file.h"
#include "symbolize/nearest.h"
#include "symbolize/parser/parser.h"
#include "symbolize/scope.h"
#include "symbolize/search/query.h"

#include <errno.h>
#include <string.h>

#define ANCHOR "_stext"

CLEANUP_DEFINE(kallsyms, struct kallsyms *, kallsyms_free, NULL)

static int check_build_id(const struct object *object, struct error *error)
{
	AUTO(text) char *running = kernel_build_id();
	const char *found = object->shown.build_id;

	if (!*running || !*found || !strcmp(running, found))
		return 0;
	return error_set(error, -EINVAL,
			 "%s is of another kernel: its build id is %s, the running kernel's is %s",
			 object->shown.path, found, running);
}

static uint64_t no_limit(void *context, uint64_t start, bool has_size)
{
	(void)context, (void)start, (void)has_size;
	return UINT64_MAX;
}

static void add_function(struct symbols *symbols, struct object *object,
			 const struct kallsyms_function *function)
{
	size_t stem = strcspn(function->name, ".");

	if (!stem)
		stem = strlen(function->name);
	uint32_t id = interner_add_part(&symbols->sources.texts, function->name, stem);
	*array_add(&object->symtab) = (struct symtab_entry){
		.start = function->start,
		.end = function->end,
		.name = id,
		.shown = id,
		.preference = (uint8_t)(2 * (function->name[0] != '_') + !function->name[stem]),
		.is_part = function->name[stem],
	};
}

static void take_functions(struct symbols *symbols)
{
	struct object *object = symbols->kernel;
	size_t count;
	const struct kallsyms_function *all = kallsyms_all(symbols->kallsyms, &count);

	symtab_clear(&object->symtab);
	for (size_t i = 0; i < count; i++)
		add_function(symbols, object, &all[i]);
	symtab_index(&object->symtab, no_limit, NULL);
	symbols->generation++;
}

static bool address_of(const struct kallsyms *kallsyms, const char *name, uint64_t *address)
{
	size_t count;
	const struct kallsyms_function *all = kallsyms_all(kallsyms, &count);

	for (size_t i = 0; i < count; i++)
		if (!all[i].module && !strcmp(all[i].name, name)) {
			*address = all[i].start;
			return true;
		}
	return false;
}

static bool anchor_in_file(const struct object *object, uint64_t *address)
{
	int count = dwfl_module_getsymtab(object->module);

	for (int i = 1; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr moved = 0;
		const char *name = dwfl_module_getsym_info(object->module, i, &symbol, &moved, NULL,
							   NULL, NULL);
		if (name && !strcmp(name, ANCHOR)) {
			*address = moved - object->bias;
			return true;
		}
	}
	return false;
}

/* `is_running`: the names are those of the running kernel. */
static int add_vmlinux(struct symbols *symbols, const struct kallsyms *kallsyms, const char *path,
		       bool is_in_scope, bool is_running, struct error *error)
{
	uint32_t id;
	uint64_t runs_at, linked_at;
	int code = symbols_add_object(symbols, path, NULL, false, &id, error);

	if (code)
		return code;
	struct object *object = symbols_open(symbols, id);
	if (is_running)
		code = check_build_id(object, error);
	if (code)
		return code;
	if (!address_of(kallsyms, ANCHOR, &runs_at) || !anchor_in_file(object, &linked_at))
		return error_set(
			error, -EINVAL,
			"%s is not the running kernel: it has no symbol %s; take the vmlinux "
			"with debug information of exactly this kernel",
			path, ANCHOR);
	object->is_kernel = true;
	object->slide = runs_at - linked_at;
	object->shown.in_scope = is_in_scope;
	symbols->vmlinux = object;
	return 0;
}

/*
 * The scheduler and functions that wait (section .sched.text), which /proc/PID/wchan leaves out,
 * too: time in them belongs to their callers.
 */
static void find_scheduler(const struct kallsyms *kallsyms, struct symbols *symbols)
{
	if (!address_of(kallsyms, "__sched_text_start", &symbols->scheduler_start) ||
	    !address_of(kallsyms, "__sched_text_end", &symbols->scheduler_end))
		symbols->scheduler_start = symbols->scheduler_end = 0;
}

int symbols_add_kernel(struct symbols *symbols, const char *names, const char *vmlinux,
		       bool is_in_scope, struct error *error)
{
	if (symbols->parser)
		return parser_add_kernel(symbols->parser, names, vmlinux, is_in_scope, error);
	AUTO(kallsyms) struct kallsyms *kallsyms = NULL;
	int code = kallsyms_read(names, &kallsyms, error);

	if (!code && vmlinux)
		code = add_vmlinux(symbols, kallsyms, vmlinux, is_in_scope,
				   !strcmp(names, "/proc/kallsyms"), error);
	if (code)
		return code;
	struct object *object = object_new("kernel");
	object->is_kernel = true;
	object->has_read_symbols = true;
	object->shown.has_symbols = true;
	object->shown.in_scope = is_in_scope && !scope_asks_sources(symbols->sources.scope);
	object->id = (uint32_t)symbols->objects.count;
	*array_add(&symbols->objects) = object;
	find_scheduler(kallsyms, symbols);
	symbols->kernel = object;
	symbols->kallsyms = take(&kallsyms);
	take_functions(symbols);
	return 0;
}

bool symbols_is_kernel(const struct symbols *symbols, uint32_t object)
{
	return symbols->parser ? parser_object(symbols->parser, object)->is_kernel :
				 symbols_open(symbols, object)->is_kernel;
}

void symbols_refresh_kernel(struct symbols *symbols, uint64_t address)
{
	if (symbols->parser)
		parser_refresh_kernel(symbols->parser, address);
	if (!symbols->kernel || !kallsyms_refresh(symbols->kallsyms, address))
		return;
	take_functions(symbols);
	locations_move(symbols, symbols->kernel);
}

bool symbols_kernel_offset(const struct symbols *symbols, uint64_t address, uint32_t *object,
			   uint64_t *offset)
{
	const struct object *vmlinux = symbols->vmlinux;

	if (symbols->parser)
		return parser_kernel_offset(symbols->parser, address, object, offset);
	if (!symbols->kernel)
		return false;
	if (vmlinux && object_has_code(vmlinux, address - vmlinux->slide)) {
		*object = vmlinux->id;
		return object_offset(vmlinux, address - vmlinux->slide, offset);
	}
	*object = symbols->kernel->id;
	*offset = address;
	return true;
}

void symbols_scheduler(const struct symbols *symbols, uint64_t *start, uint64_t *end)
{
	const struct parser *parser = symbols->parser;

	*start = parser ? parser->kernel.scheduler_start : symbols->scheduler_start;
	*end = parser ? parser->kernel.scheduler_end : symbols->scheduler_end;
}

uint64_t symbols_kernel_address(const struct symbols *symbols, uint32_t object, uint64_t offset)
{
	if (symbols->parser)
		return parser_kernel_address(symbols->parser, object, offset);
	const struct object *asked = symbols_open(symbols, object);
	uint64_t address;

	if (asked != symbols->vmlinux)
		return offset;
	return object_address(asked, offset, &address) ? address + asked->slide : 0;
}

/* The location gets all code of this name: static functions may share it. */
static bool find_function(struct symbols *symbols, const char *name, uint32_t *location)
{
	struct object *kernel = symbols->kernel;
	uint32_t text = interner_find(&symbols->sources.texts, name);
	bool is_found = false;

	for (size_t i = 0; text && i < kernel->symtab.count; i++) {
		struct symtab_entry *entry = &kernel->symtab.items[i];
		if (entry->name != text)
			continue;
		if (!is_found)
			*location = location_of_symbol(symbols, kernel, entry);
		is_found = true;
		/* Also if another name of the same code is preferred. */
		location_add_range(symbols, *location, entry->start, entry->end);
	}
	return is_found;
}

int symbols_find_kernel(struct symbols *symbols, const char *name, uint32_t *location,
			struct error *error)
{
	struct query query;
	int code;

	if (symbols->parser)
		return parser_find(symbols->parser, OPERATION_FIND_KERNEL, name, location, error);
	if (!symbols->kernel)
		return error_set(error, -EINVAL, "the kernel's functions are not known");
	if (find_function(symbols, name, location))
		return 0;
	query_parse(name, &query);
	if (query.line && symbols->vmlinux) {
		code = search_line_location(symbols, &query, location, error);
		query_clear(&query);
		return code;
	}
	query_clear(&query);
	struct nearest nearest = {0};
	for (size_t i = 0; i < symbols->kernel->symtab.count; i++) {
		const char *other = interner_text(&symbols->sources.texts,
						  symbols->kernel->symtab.items[i].name);
		nearest_offer(&nearest, other, nearest_distance(other, name));
	}
	AUTO(text) char *others = nearest_text(&nearest, "; nearest: ");
	return error_set(error, -ENXIO, "the kernel has no function %s%s", name,
			 *others ? others : "; /proc/kallsyms lists them");
}
