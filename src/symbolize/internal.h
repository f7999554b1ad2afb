/* SPDX-License-Identifier: BSD-2-Clause */
/* internal - struct symbols, for the files that implement symbols.h. */
#pragma once

#include "symbolize/dwarf/sources.h"
#include "symbolize/dwarf/unit.h"
#include "symbolize/kernel/kallsyms.h"
#include "symbolize/object/object.h"

struct location_record {
	struct symbols_location shown;
	uint32_t file, function; /* texts */
	struct ranges ranges;
	struct symbols_addresses calls; /* of other objects: symbols_far_calls */
	bool is_merged;                 /* the ranges are in order */
	bool is_explicit; /* its ranges were collected by a search, not by attribution */
	bool is_told;     /* parser/server.c has told its ranges: it wants to know of changes */
};

struct parser;

struct symbols {
	struct parser *parser; /* a process that does all of this; NULL: this one does */
	enum target_kind granularity;
	bool is_by_address; /* locations are made for the addresses that are asked for only */
	uint64_t generation;
	struct sources sources;
	ARRAY(struct object *) objects;
	struct object *kernel; /* by kallsyms: offsets are addresses; NULL: not added */
	struct kallsyms *kallsyms;
	struct object *vmlinux; /* by its file; NULL: none */
	uint64_t scheduler_start, scheduler_end;
	/* synthetic_location.c; NULL: none yet */
	struct object *calls, *spans, *classes, *sets, *process_names;
	ARRAY(struct location_record *)
	locations; /* pointers: lent out, so they must not move */
	struct hash_map location_ids;
	struct hash_map basenames; /* base name -> index in basename_groups; see location_name.c */
	ARRAY(struct basename_group) basename_groups;
	bool has_interpreter;           /* of Python: names may appear at any time */
	struct python *python;          /* python/python_code.c; NULL: no such code */
	struct tail_calls *tail_calls;  /* tail_calls.c; NULL: none yet */
	struct skid *skid;              /* skid.c; NULL: not asked yet */
	struct hash_map jit_functions;  /* of jit_location.c: (name, file) -> function of sources */
	struct hash_map tail_locations; /* of tail_location.c: (object, call) -> location */
	size_t named_objects;           /* objects whose files are in `basename_groups` */
	ARRAY(uint32_t) changed; /* locations that were told, and whose ranges changed since */
};

/* The source files with one base name. */
struct basename_group {
	ARRAY(uint32_t) files;
};

/* As symbols_add_object; takes the file. */
int symbols_add_file(struct symbols *symbols, const char *path, struct object_file *file,
		     bool in_scope, uint32_t *object, struct error *error);
struct object *symbols_open(const struct symbols *symbols, uint32_t object);

/* The location of a line, a function, or a symbol without debug information; made if new. */
uint32_t location_of_line(struct symbols *symbols, struct object *object, uint32_t file,
			  unsigned line, uint32_t function);
/* SYMBOLS_NONE: the line has no location yet. */
uint32_t location_find_line(const struct symbols *symbols, const struct object *object,
			    uint32_t file, unsigned line);
/*
 * Whether the line has a location of another function: the stubs of a C library's system calls are
 * one line of a template in assembler.
 */
struct attribution;
bool location_line_is_shared(struct symbols *symbols, struct object *object,
			     const struct attribution *attribution);
uint32_t location_of_function(struct symbols *symbols, struct object *object, uint32_t function);
uint32_t location_of_symbol(struct symbols *symbols, struct object *object,
			    struct symtab_entry *entry);
/* A synthetic location, by its number within the object. `name` and `description` are texts. */
uint32_t location_of_synthetic(struct symbols *symbols, const struct object *object,
			       enum target_kind kind, uint64_t number, uint32_t name,
			       uint32_t description);
/* The function by the unwind information; false: none is known. */
bool symbols_unwound_function(const struct object *object, uint64_t offset, struct range *function);
/* A function without a symbol, with all that it calls. */
uint32_t location_of_inclusive_unnamed(struct symbols *symbols, struct object *object,
				       struct range function);
/* Code without a symbol. */
uint32_t location_of_block(struct symbols *symbols, struct object *object, struct range block);
/* All calls of this function of another file by code without symbols. `library`: or NULL. */
uint32_t location_of_import(struct symbols *symbols, const struct object *object, uint32_t name,
			    const struct object *library);
void location_add_range(struct symbols *symbols, uint32_t location, uint64_t start, uint64_t end);
void location_add_far_call(struct symbols *symbols, uint32_t location,
			   const struct symbols_address *call);
void location_cut_range(struct symbols *symbols, uint32_t location, uint64_t start, uint64_t end);
/* After the object's symbols changed: locations keep their numbers and get their new code. */
void locations_move(struct symbols *symbols, struct object *object);
void locations_clear(struct symbols *symbols);

/* A function with all that it calls; SYMBOLS_NONE if it is not known (_find). */
uint32_t location_of_inclusive(struct symbols *symbols, struct object *object, uint32_t function);
uint32_t location_find_inclusive(struct symbols *symbols, struct object *object, uint32_t function);
uint32_t location_of_inclusive_symbol(struct symbols *symbols, struct object *object,
				      struct symtab_entry *entry);

/* All functions of the symbol table whose linker name it `has`, as one, with all that they call. */
uint32_t location_of_symbols(struct symbols *symbols, struct object *object, const char *name,
			     bool (*has)(const char *name));
/* allocation.c: SYMBOLS_ALLOCATION; false: no object has malloc. */
bool allocation_has(const char *name);
uint32_t allocation_location(struct symbols *symbols, struct object *object);
bool allocation_find(struct symbols *symbols, uint32_t *location);

/* Attributes the unit's code to locations, once. */
void unit_decode(struct symbols *symbols, struct object *object, struct unit *unit);
/* The location of an offset that the decoded unit owns, or SYMBOLS_NONE. */
uint32_t unit_location_at(struct symbols *symbols, struct object *object, const struct unit *unit,
			  uint64_t offset);
/* Before units_free. */
void units_forget_frames(struct object *object);
/* tail_location.c: whether the offset is in the code of the location. */
bool location_has(struct symbols *symbols, uint32_t location, uint64_t offset);
bool location_has_far_call(const struct symbols *symbols, uint32_t location, uint32_t object,
			   uint64_t offset);
/* inclusive_code.c: a copy of a function; the unit's copies of those that are known. */
struct inline_frame;
void inclusive_add_frame(struct symbols *symbols, struct object *object, uint32_t location,
			 const struct inline_frame *frame);
void inclusive_add_unit(struct symbols *symbols, struct object *object, const struct unit *unit);
