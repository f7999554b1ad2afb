/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * catalog - what the symbols hold: objects, places, functions and texts (struct symbols).
 *
 * Texts (paths, names) are numbers of symbols->texts; 0 is unknown.
 */
#pragma once

#include "symbolize/kallsyms.h"
#include "symbolize/map.h"
#include "symbolize/object.h"
#include "symbolize/texts.h"

#define FUNCTION_NONE UINT32_MAX

/* A source function, whatever copies of it there are. */
struct function {
	uint32_t name;   /* demangled; 0 until function_name asks for it */
	uint32_t linker; /* linker name, or the plain one if there is none */
	uint32_t file;   /* where it is declared */
	unsigned line;
	bool is_external; /* else another file's function may have the same name */
};

struct place {
	struct symbols_place shown;
	uint32_t file, function; /* texts */
	struct ranges ranges;
	bool is_merged;   /* the ranges are in order */
	bool is_explicit; /* its ranges were collected by a search, not by attribution */
};

struct symbols {
	enum target_kind granularity;
	const struct scope *scope;
	uint64_t generation;
	struct texts texts;
	ARRAY(struct object *) objects;
	struct object *kernel; /* by kallsyms: offsets are addresses; NULL: not added */
	struct kallsyms *kallsyms;
	struct object *vmlinux; /* by its file; NULL: none */
	uint64_t scheduler_start, scheduler_end;
	struct object *calls, *spans, *classes; /* activity.c; NULL: none yet */
	ARRAY(struct place *) places;           /* by pointer: what is lent out stays where it is */
	struct map place_ids;
	ARRAY(struct function) functions;
	struct map function_ids; /* address of the debug entry in memory -> function */
	struct map file_ids;     /* address of a path in libdw's memory -> text */
	struct map verdicts;     /* (file, function name) -> in scope? */
	struct map basenames;    /* base name -> index in namesakes; see name.h */
	ARRAY(struct namesakes) namesakes;
	size_t named_objects; /* objects whose files are in `namesakes` */
};

/* All source files seen under one base name. */
struct namesakes {
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

/* The place of a line, of a function, of a symbol without debug information; made if it is new. */
uint32_t place_of_line(struct symbols *symbols, struct object *object, uint32_t file, unsigned line,
		       uint32_t function);
uint32_t place_of_function(struct symbols *symbols, struct object *object, uint32_t function);
uint32_t place_of_symbol(struct symbols *symbols, struct object *object,
			 struct symtab_entry *entry);
/* The same, but SYMBOLS_NONE if it is not known yet. */
uint32_t place_of_known_symbol(struct symbols *symbols, struct object *object,
			       struct symtab_entry *entry);
/* Something that is no code, with the number that it has among its like; `shown`, `words`: texts. */
uint32_t place_of_activity(struct symbols *symbols, const struct object *object,
			   enum target_kind kind, uint64_t number, uint32_t shown, uint32_t words,
			   bool *is_new);
uint32_t place_of_block(struct symbols *symbols, struct object *object, uint64_t offset);
void place_add_range(struct symbols *symbols, uint32_t place, uint64_t start, uint64_t end);
/* The object's symbols have changed: places keep their numbers, and get the code that is theirs now. */
void places_move(struct symbols *symbols, struct object *object);
void places_clear(struct symbols *symbols);

/* Decodes a unit: attributes its code to places. Does nothing if that is done. */
void unit_decode(struct symbols *symbols, struct object *object, struct unit *unit);

/* Reads the map anew if it changed. */
void jit_read(struct symbols *symbols, struct object *object);
