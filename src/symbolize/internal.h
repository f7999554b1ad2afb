/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * catalog - what the symbols hold: objects, locations, functions and texts (struct symbols).
 *
 * Texts (paths, names) are numbers of symbols->texts; 0 is unknown.
 */
#pragma once

#include "base/hash_map.h"
#include "base/interner.h"
#include "symbolize/elf/object.h"
#include "symbolize/kernel/kallsyms.h"

#define FUNCTION_NONE UINT32_MAX

/* A source function, whatever copies of it there are. */
struct function {
	uint32_t name;   /* demangled; 0 until function_name asks for it */
	uint32_t linker; /* linker name, or the plain one if there is none */
	uint32_t file;   /* where it is declared */
	unsigned line;
	bool is_external; /* else another file's function may have the same name */
};

struct location_record {
	struct symbols_location shown;
	uint32_t file, function; /* texts */
	struct ranges ranges;
	bool is_merged;   /* the ranges are in order */
	bool is_explicit; /* its ranges were collected by a search, not by attribution */
};

struct symbols {
	enum target_kind granularity;
	const struct scope *scope;
	uint64_t generation;
	struct interner texts;
	ARRAY(struct object *) objects;
	struct object *kernel; /* by kallsyms: offsets are addresses; NULL: not added */
	struct kallsyms *kallsyms;
	struct object *vmlinux; /* by its file; NULL: none */
	uint64_t scheduler_start, scheduler_end;
	struct object *calls, *spans, *classes; /* activity.c; NULL: none yet */
	ARRAY(struct location_record *)
	locations; /* by pointer: what is lent out stays where it is */
	struct hash_map location_ids;
	ARRAY(struct function) functions;
	struct hash_map function_ids;    /* address of the debug entry in memory -> function */
	struct hash_map file_ids;        /* address of a path in libdw's memory -> text */
	struct hash_map scope_decisions; /* (file, function name) -> in scope? */
	struct hash_map basenames;       /* base name -> index in basename_group; see name.h */
	ARRAY(struct basename_group) basename_group;
	size_t named_objects; /* objects whose files are in `basename_group` */
};

/* All source files seen under one base name. */
struct basename_group {
	ARRAY(uint32_t) files;
};

struct object *symbols_open(const struct symbols *symbols, uint32_t object);
bool symbols_in_scope(struct symbols *symbols, uint32_t file, uint32_t function);
/* The text of a path that libdw lent, made whole with the directory of its unit. */
uint32_t symbols_file(struct symbols *symbols, Dwarf_Die *unit_die, const char *path);
/* The file that an attribute (DW_AT_decl_file, DW_AT_call_file) of an entry counts, or 0. */
uint32_t symbols_file_of(struct symbols *symbols, Dwarf_Die *die, unsigned attribute_name);
/* The function of a DW_TAG_subprogram or DW_TAG_inlined_subroutine, or FUNCTION_NONE. */
uint32_t symbols_function(struct symbols *symbols, Dwarf_Die *die);
uint32_t function_name(struct symbols *symbols, uint32_t function); /* text; of none: 0 */

/* The location of a line, of a function, of a symbol without debug information; made if it is new. */
uint32_t location_of_line(struct symbols *symbols, struct object *object, uint32_t file,
			  unsigned line, uint32_t function);
uint32_t location_of_function(struct symbols *symbols, struct object *object, uint32_t function);
uint32_t location_of_symbol(struct symbols *symbols, struct object *object,
			    struct symtab_entry *entry);
/* The same, but SYMBOLS_NONE if it is not known yet. */
uint32_t location_of_known_symbol(struct symbols *symbols, struct object *object,
				  struct symtab_entry *entry);
/* Something that is no code, with the number that it has among its like; `shown`, `description`: texts. */
uint32_t location_of_synthetic(struct symbols *symbols, const struct object *object,
			       enum target_kind kind, uint64_t number, uint32_t shown,
			       uint32_t description, bool *is_new);
uint32_t location_of_block(struct symbols *symbols, struct object *object, uint64_t offset);
void location_add_range(struct symbols *symbols, uint32_t location, uint64_t start, uint64_t end);
/* The object's symbols have changed: locations keep their numbers, and get the code that is theirs now. */
void locations_move(struct symbols *symbols, struct object *object);
void locations_clear(struct symbols *symbols);

/* Decodes a unit: attributes its code to locations. Does nothing if that is done. */
void unit_decode(struct symbols *symbols, struct object *object, struct unit *unit);

/* Reads the map anew if it changed. */
void perf_map_read(struct symbols *symbols, struct object *object);
