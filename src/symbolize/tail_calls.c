/* SPDX-License-Identifier: BSD-2-Clause */
/* tail_calls - follows the jumps that lead out of functions. x86-64 only. */
#include "symbolize/tail_calls.h"

#include "base/hash_map.h"
#include "symbolize/internal.h"
#include "symbolize/machine_code.h"
#include "symbolize/object/unwind.h"
#include "symbolize/spin/loop.h"

#include <string.h>

#define FUNCTION_MOST 65536 /* bytes; longer functions are not read */
#define LOOKED_AT_MOST 64   /* functions in one search */
#define STUB_BYTES 16       /* of an entry of a procedure linkage table */

/* A jump out of a function. */
struct exit_jump {
	uint64_t jump;   /* file offset of its last byte */
	uint64_t start;  /* of the function to which it leads, in the same file */
	uint32_t import; /* or the linker name of another file's function; 0: none */
	bool is_unknown; /* it leads wherever a pointer says */
	bool is_own;     /* to the ".cold" part of the same function */
};

struct exits {
	struct exit_jump *items;
	size_t count, capacity;
};

/* The beginning of a function of a file, or the name of one that may be in any file. */
struct entry {
	struct object *object; /* NULL: by name */
	uint64_t start;
	uint32_t import;
};

/* What was found for a name; of none, among the first `objects`. */
struct resolution {
	struct entry entry;
	size_t objects;
};

struct tail_calls {
	struct hash_map functions; /* (object, start) -> index of exits */
	ARRAY(struct exits) exits;
	struct hash_map imports;     /* (object, slot) -> text */
	struct hash_map resolutions; /* (name, only in scope) -> index of resolved */
	ARRAY(struct resolution) resolved;
};

struct search {
	struct symbols *symbols;
	const struct entry *goal; /* NULL: any function out of scope */
	struct tail_frame path[TAIL_FRAMES_MOST], found[TAIL_FRAMES_MOST];
	size_t found_count;
	unsigned paths, looked_at;
};

void tail_calls_free(struct tail_calls *calls)
{
	if (!calls)
		return;
	for (size_t i = 0; i < calls->exits.count; i++)
		array_free(&calls->exits.items[i]);
	array_free(&calls->exits);
	hash_map_clear(&calls->functions);
	hash_map_clear(&calls->imports);
	hash_map_clear(&calls->resolutions);
	array_free(&calls->resolved);
	free(calls);
}

static struct tail_calls *calls_of(struct symbols *symbols)
{
	if (!symbols->tail_calls)
		symbols->tail_calls = memory_new(1, sizeof(*symbols->tail_calls));
	return symbols->tail_calls;
}

/* ---- functions and their names ---- */

static bool function_range(struct symbols *symbols, struct object *object, uint64_t offset,
			   struct range *range)
{
	const struct symtab_entry *entry =
		symtab_at(object_symtab(object, &symbols->sources.texts), offset);

	if (entry)
		*range = (struct range){.start = entry->start, .end = entry->end};
	return entry || unwind_function_at(object, offset, range);
}

/* Does the function that begins at the offset have this linker name, too? */
static bool has_name(struct symbols *symbols, struct object *object, uint64_t start, uint32_t name)
{
	const struct symtab *symtab = object_symtab(object, &symbols->sources.texts);
	size_t low = 0, high = symtab->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (symtab->items[middle].start < start)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < symtab->count && symtab->items[low].start == start; low++)
		if (symtab->items[low].name == name)
			return true;
	return false;
}

static bool is_offered(struct symbols *symbols, struct object *object, struct entry *entry)
{
	const struct symtab *symtab = object_symtab(object, &symbols->sources.texts);

	for (size_t i = 0; i < symtab->count; i++) {
		const struct symtab_entry *one = &symtab->items[i];
		if (one->name != entry->import || one->file || one->is_part)
			continue;
		entry->object = object;
		entry->start = one->start;
		return true;
	}
	return false;
}

/* Index of resolved. */
static size_t resolution_of(struct symbols *symbols, bool only_in_scope, uint32_t import)
{
	struct tail_calls *calls = calls_of(symbols);
	uint32_t known = hash_map_get(&calls->resolutions, import, only_in_scope);

	if (known != HASH_MAP_NONE)
		return known;
	known = (uint32_t)calls->resolved.count;
	*array_add(&calls->resolved) = (struct resolution){.entry.import = import};
	hash_map_set(&calls->resolutions, import, only_in_scope, known);
	return known;
}

/*
 * Few programs offer names to their libraries. To read all symbols of those that were not asked
 * about, as new ones in a recording of the machine, took a third of the parser's time.
 */
static bool may_offer(const struct object *object)
{
	return object->elf && !object->is_kernel && (!object->is_main || object->has_read_symbols);
}

/* The first file, in the order of loading, that offers the name; each file is asked once. */
static bool resolve(struct symbols *symbols, bool only_in_scope, struct entry *entry)
{
	size_t index = resolution_of(symbols, only_in_scope, entry->import);
	struct resolution known = symbols->tail_calls->resolved.items[index];

	if (known.entry.object && !known.entry.object->elf)
		known = (struct resolution){.entry.import = entry->import}; /* it is forgotten */
	for (; !known.entry.object && known.objects < symbols->objects.count; known.objects++) {
		struct object *object = symbols->objects.items[known.objects];
		if (may_offer(object) && (!only_in_scope || object->shown.in_scope))
			is_offered(symbols, object, &known.entry);
	}
	symbols->tail_calls->resolved.items[index] = known;
	*entry = known.entry;
	return entry->object;
}

static bool is_part_of(struct symbols *symbols, struct object *object, uint64_t part,
		       uint64_t whole)
{
	const struct symtab *symtab = object_symtab(object, &symbols->sources.texts);
	const struct symtab_entry *one = symtab_at(symtab, part), *other = symtab_at(symtab, whole);

	return one && other && one->name == other->name && (one->is_part || other->is_part);
}

/* ---- where calls and jumps lead ---- */

static bool decode(const struct object *object, uint64_t offset, uint64_t size,
		   struct instruction *one)
{
	const uint8_t *bytes = machine_code_bytes(object, offset, size);
	uint64_t address;

	return bytes && object_address(object, offset, &address) &&
	       instruction_decode(bytes, size, address, one);
}

static uint32_t import_of_slot(struct symbols *symbols, struct object *object, uint64_t slot)
{
	struct hash_map *imports = &calls_of(symbols)->imports;
	uint32_t known = hash_map_get(imports, object->id, slot);

	if (known == HASH_MAP_NONE) {
		known = interner_add(&symbols->sources.texts, object_imported(object, slot));
		hash_map_set(imports, object->id, slot, known);
	}
	return known;
}

/* What an entry of the procedure linkage table jumps to. */
static uint32_t import_of_stub(struct symbols *symbols, struct object *object, uint64_t offset)
{
	struct instruction one;

	for (uint64_t end = offset + STUB_BYTES; offset < end; offset += one.length) {
		if (!decode(object, offset, end - offset, &one))
			return 0;
		if (one.flow == FLOW_JUMP)
			return one.slot ? import_of_slot(symbols, object, one.slot) : 0;
		if (one.flow != FLOW_NEXT || one.effect != EFFECT_NONE)
			return 0;
	}
	return 0;
}

static bool entry_at(struct symbols *symbols, struct object *object, uint64_t address,
		     struct entry *entry)
{
	struct range range;
	uint64_t offset;

	*entry = (struct entry){.object = NULL};
	if (!object_offset(object, address, &offset))
		return false;
	if (!ranges_has(&object->code, offset)) {
		entry->import = import_of_stub(symbols, object, offset);
		return entry->import;
	}
	/* Unwind information often tells without the symbol table, which may be large. */
	if ((!unwind_function_at(object, offset, &range) || range.start != offset) &&
	    (!function_range(symbols, object, offset, &range) || range.start != offset))
		return false;
	entry->object = object;
	entry->start = offset;
	return true;
}

/* The call whose last byte is at the offset: "call function" or "call *slot(%rip)". */
static bool read_call(const struct object *object, uint64_t offset, uint64_t *address,
		      bool *is_direct)
{
	const uint8_t *bytes = offset >= 5 ? machine_code_bytes(object, offset - 5, 6) : NULL;
	int32_t distance;

	if (!bytes || !object_address(object, offset, address))
		return false;
	memcpy(&distance, bytes + 2, sizeof(distance));
	*address += 1 + (uint64_t)(int64_t)distance;
	*is_direct = bytes[1] == 0xe8;
	return *is_direct || (bytes[0] == 0xff && bytes[1] == 0x15);
}

/* Most calls enter the function that they lead to: no symbol table needs to be read for these. */
static bool enters_at_once(const struct object *caller, uint64_t call, const struct object *callee,
			   uint64_t offset)
{
	struct range function;
	uint64_t address, target;
	bool is_direct;

	return caller == callee && read_call(caller, call, &address, &is_direct) && is_direct &&
	       object_offset(caller, address, &target) &&
	       unwind_function_at(callee, offset, &function) && function.start == target;
}

/* What a call enters. */
static bool called_entry(struct symbols *symbols, struct object *object, uint64_t offset,
			 struct entry *entry)
{
	uint64_t address;
	bool is_direct;

	if (!read_call(object, offset, &address, &is_direct))
		return false;
	if (is_direct)
		return entry_at(symbols, object, address, entry);
	*entry = (struct entry){.import = import_of_slot(symbols, object, address)};
	return entry->import;
}

static void add_exit(struct symbols *symbols, struct object *object, const struct range *function,
		     const struct instruction *one, struct exits *exits)
{
	struct exit_jump found = {.is_unknown = !one->target};
	struct entry entry = {.object = NULL};
	uint64_t target = 0;

	if (one->target && object_offset(object, one->target, &target) &&
	    target >= function->start && target < function->end)
		return;
	if (one->target && !entry_at(symbols, object, one->target, &entry))
		return; /* into the middle of another function: its parts */
	if (!one->target && one->slot)
		entry.import = import_of_slot(symbols, object, one->slot);
	found.import = entry.import;
	found.start = entry.start;
	found.is_unknown &= !entry.import;
	found.is_own = entry.object && is_part_of(symbols, object, entry.start, function->start);
	object_offset(object, one->address + one->length - 1, &found.jump);
	*array_add(exits) = found;
}

static void read_exits(struct symbols *symbols, struct object *object, uint64_t start,
		       struct exits *exits)
{
	struct loop_instructions body;
	struct loop_function code;
	struct range range;

	if (!function_range(symbols, object, start, &range) || range.start != start ||
	    range.end - range.start > FUNCTION_MOST || !object_address(object, start, &code.start))
		return;
	code.end = code.start + (range.end - range.start);
	code.bytes = machine_code_bytes(object, range.start, range.end - range.start);
	if (!code.bytes)
		return;
	loop_instructions_read(&code, &body);
	for (size_t i = 0; i < body.count; i++) {
		const struct instruction *one = &body.items[i];
		if (one->flow == FLOW_JUMP || (one->flow == FLOW_BRANCH && one->target))
			add_exit(symbols, object, &range, one, exits);
	}
	loop_instructions_clear(&body);
}

/* Borrowed until the next call. */
static const struct exits *exits_of(struct symbols *symbols, struct object *object, uint64_t start)
{
	struct tail_calls *calls = calls_of(symbols);
	uint32_t index = hash_map_get(&calls->functions, object->id, start);

	if (index == HASH_MAP_NONE) {
		struct exits exits = {0};
		read_exits(symbols, object, start, &exits);
		index = (uint32_t)calls->exits.count;
		*array_add(&calls->exits) = exits;
		hash_map_set(&calls->functions, object->id, start, index);
	}
	return &calls->exits.items[index];
}

/* ---- the search ---- */

/* Of several paths, only functions that all of them begin with are known to have been entered. */
static void add_path(struct search *search, size_t count)
{
	size_t same = 0;

	if (!search->paths++) {
		memcpy(search->found, search->path, count * sizeof(*search->path));
		search->found_count = count;
		return;
	}
	for (; same < count && same < search->found_count &&
	       search->found[same].object == search->path[same].object &&
	       search->found[same].start == search->path[same].start;
	     same++)
		if (search->found[same].jump != search->path[same].jump)
			search->found[same].jump = search->found[same].start;
	search->found_count = same;
}

static bool is_goal(const struct search *search, const struct entry *entry)
{
	const struct entry *goal = search->goal;

	if (!goal)
		return !entry->object || !entry->object->shown.in_scope;
	if (entry->import)
		return has_name(search->symbols, goal->object, goal->start, entry->import);
	return entry->object == goal->object &&
	       (entry->start == goal->start ||
		is_part_of(search->symbols, goal->object, goal->start, entry->start));
}

static void walk(struct search *search, struct object *object, uint64_t start, size_t depth)
{
	struct symbols *symbols = search->symbols;

	if (depth == TAIL_FRAMES_MOST || ++search->looked_at > LOOKED_AT_MOST)
		return;
	size_t count = exits_of(symbols, object, start)->count;
	for (size_t i = 0; i < count; i++) {
		const struct exit_jump exit = exits_of(symbols, object, start)->items[i];
		struct entry entry = {.object = exit.import ? NULL : object,
				      .start = exit.start,
				      .import = exit.import};
		if (exit.is_unknown)
			continue;
		if (exit.is_own) {
			walk(search, object, exit.start, depth);
			continue;
		}
		search->path[depth] = (struct tail_frame){object, start, exit.jump};
		if (exit.import)
			resolve(symbols, !search->goal, &entry);
		if (is_goal(search, &entry))
			add_path(search, depth + 1);
		else if (entry.object)
			walk(search, entry.object, entry.start, depth + 1);
	}
}

/* The function left by a jump whose target is not known: the only one, if it has one. */
static size_t left_by_pointer(struct symbols *symbols, const struct entry *entered,
			      struct tail_frame *frame)
{
	const struct exits *exits = exits_of(symbols, entered->object, entered->start);
	size_t unknown = 0;

	for (size_t i = 0; i < exits->count; i++) {
		if (!exits->items[i].is_unknown)
			continue;
		*frame = (struct tail_frame){entered->object, entered->start,
					     unknown ? entered->start : exits->items[i].jump};
		unknown++;
	}
	return unknown != 0;
}

static bool is_possible(const struct object *object)
{
	return !object->is_kernel && !object->is_jit && machine_code_is_x86_64(object);
}

static bool is_loader(struct symbols *symbols, struct object *object, uint64_t offset)
{
	const struct symtab_entry *entry =
		symtab_at(object_symtab(object, &symbols->sources.texts), offset);
	const char *name = entry ? interner_text(&symbols->sources.texts, entry->name) : "";

	return !strncmp(name, "_dl_", 4);
}

size_t tail_calls_between(struct symbols *symbols, struct object *caller, uint64_t call,
			  struct object *callee, uint64_t offset, struct tail_frame *frames)
{
	struct entry entered, goal = {.object = callee};
	struct search search = {.symbols = symbols, .goal = &goal};
	struct range range;

	if (!is_possible(caller) || !is_possible(callee) ||
	    enters_at_once(caller, call, callee, offset) ||
	    !called_entry(symbols, caller, call, &entered) ||
	    !function_range(symbols, callee, offset, &range))
		return 0;
	goal.start = range.start;
	/* A first call through the linkage table runs the loader. */
	if (is_goal(&search, &entered) || (entered.import && is_loader(symbols, callee, offset)))
		return 0;
	if (entered.import && !resolve(symbols, false, &entered))
		return 0;
	walk(&search, entered.object, entered.start, 0);
	memcpy(frames, search.found, search.found_count * sizeof(*frames));
	return search.paths ? search.found_count : left_by_pointer(symbols, &entered, frames);
}

bool tail_calls_entered(struct symbols *symbols, struct object *caller, uint64_t call,
			struct object **entered, uint64_t *start)
{
	struct entry entry;
	bool has_exit = false;

	if (!is_possible(caller) || !called_entry(symbols, caller, call, &entry))
		return false;
	if (entry.import && !resolve(symbols, false, &entry))
		return false;
	const struct exits *exits = exits_of(symbols, entry.object, entry.start);
	for (size_t i = 0; i < exits->count; i++)
		has_exit |= !exits->items[i].is_own;
	*entered = entry.object;
	*start = entry.start;
	return has_exit;
}

static void add_once(struct tail_jumps *jumps, const struct tail_jump *jump)
{
	for (size_t i = 0; i < jumps->count; i++)
		if (jumps->items[i].import == jump->import && jumps->items[i].start == jump->start)
			return;
	*array_add(jumps) = *jump;
}

void tail_calls_jumps(struct symbols *symbols, struct object *object, uint64_t start,
		      struct tail_jumps *jumps)
{
	if (!is_possible(object))
		return;
	const struct exits *exits = exits_of(symbols, object, start);
	for (size_t i = 0; i < exits->count; i++) {
		const struct exit_jump *one = &exits->items[i];
		const struct tail_jump jump = {.import = one->import, .start = one->start};
		if (!one->is_own)
			add_once(jumps, &jump);
	}
}

bool tail_calls_out_of_scope(struct symbols *symbols, struct object *caller, uint64_t call,
			     struct tail_frame *frame)
{
	struct search search = {.symbols = symbols};
	struct entry entered;

	if (!is_possible(caller) || !called_entry(symbols, caller, call, &entered))
		return false;
	if (entered.import && !resolve(symbols, true, &entered))
		return false;
	if (!entered.object->shown.in_scope)
		return false;
	walk(&search, entered.object, entered.start, 0);
	if (!search.paths)
		return left_by_pointer(symbols, &entered, frame);
	*frame = search.found[search.found_count - 1];
	return true;
}

uint32_t tail_calls_import(struct symbols *symbols, struct object *caller, uint64_t call,
			   const struct object **library)
{
	struct entry entry;

	if (!machine_code_is_x86_64(caller) || !called_entry(symbols, caller, call, &entry) ||
	    !entry.import)
		return 0;
	uint32_t import = entry.import;
	resolve(symbols, false, &entry);
	*library = entry.object;
	return import;
}
