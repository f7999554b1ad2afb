/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * object - one ELF file (or JIT map): its segments, symbols and debug information, read lazily.
 *
 * An *address* is as in the file's headers and debug information; an *offset* is a position in the
 * file, as in symbols.h. The program headers map one to the other.
 */
#pragma once

#include "base/error.h"
#include "base/ranges.h"
#include "symbolize/object/object_file.h"
#include "symbolize/object/symtab.h"
#include "symbolize/symbols.h"

#include <elfutils/libdwfl.h>
#include <sys/types.h>

struct segment {
	uint64_t address, offset, size; /* size in the file */
	uint64_t memory_size;
	bool executable, writable;
};

/* A global or static variable of the symbol table. */
struct variable {
	uint64_t address, size;
	char *name; /* of the linker */
};

/* An address into which the loader writes that of a symbol, mostly of another file. */
struct import_slot {
	uint64_t address;
	const char *name; /* of the linker; lies in the ELF file */
};

struct units;

struct object {
	struct symbols_object shown;
	uint32_t id;
	bool is_jit;
	bool is_forgotten; /* by object_forget */
	bool is_main;      /* a process runs it, rather than it being a library of one */
	dev_t device;      /* with inode: which file it is; 0: none */
	ino_t inode;
	bool is_kernel;
	uint64_t slide; /* kernel with a file: where it runs - where it was linked */

	/* Read from the main file when it is opened. */
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;
	uint64_t bias; /* module address - address */
	ARRAY(struct segment) segments;
	struct ranges code; /* offsets of machine code without procedure linkage tables */

	/* Read when first needed. */
	bool has_read_symbols, has_read_debug;
	struct symtab symtab;
	bool has_read_variables;
	ARRAY(struct variable) variables; /* by address */
	bool has_read_imports;
	ARRAY(struct import_slot) imports; /* by address */
	Dwarf *debug;
	int64_t debug_bias;  /* address - address in the debug information */
	struct units *units; /* of dwarf/unit.h, which frees them */

	struct jit_state *jit; /* of jit_file.c; NULL: no JIT file was read */

	/* Cache of symbols_scope_ranges, with its generation (0: empty). */
	struct ranges scope_ranges;
	uint64_t scope_generation;
};

/*
 * From an opened file, which it takes (object_file.h). Debug files are fetched from debuginfod only
 * if `in_scope`.
 */
int object_read(const char *path, struct object_file *file, bool in_scope, struct object **object,
		struct error *error);
struct object *object_new(const char *path); /* without a file */
void object_free(struct object *object);
/* Closes the file, after units_free; it is an object without code from then on. */
void object_forget(struct object *object);

bool object_offset(const struct object *object, uint64_t address, uint64_t *offset);
bool object_address(const struct object *object, uint64_t offset, uint64_t *address);
/* Appends the code offsets of the addresses [start, end). */
void object_code(const struct object *object, uint64_t start, uint64_t end, struct ranges *result);
bool object_has_code(const struct object *object, uint64_t address);

/* The debug information, or NULL if there is none. */
Dwarf *object_debug(struct object *object);
/* The symbols; of a JIT map, as last read. */
struct symtab *object_symtab(struct object *object, struct interner *texts);
/* The variable at an address of the data, or NULL. */
const struct variable *object_variable(struct object *object, uint64_t address);
/* The linker's name of the symbol whose address the loader writes to this address, or NULL. */
const char *object_imported(struct object *object, uint64_t slot);
/* The address of an offset in writable data, which goes on beyond the file's content (.bss). */
bool object_data_address(const struct object *object, uint64_t offset, uint64_t *address);
/* Section of the ELF file by name, with its header; NULL if missing or without content. */
Elf_Data *object_section(Elf *elf, const char *name, GElf_Shdr *header);
/* ".debug_NAME" of a file that libdw has opened, or NULL. */
Elf_Data *object_debug_section(Elf *elf, const char *name);
bool object_references(const struct object *object, const char *symbol);
