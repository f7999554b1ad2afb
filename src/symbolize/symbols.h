/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbols - from addresses in binaries to the locations that a user knows, and back.
 *
 * An object is one ELF file (or, for code without a file, one JIT map). Addresses are offsets in
 * the file, as the kernel's mappings give them, so they are the same in every process. Only what
 * is asked for is read: opening an object reads ELF headers, and a compilation unit's debug
 * information is decoded when an address in it is first asked for.
 *
 * A location is a source line or a function (granularity) in one object. Each address of an object is
 * attributed to at most one location: the innermost line, going outwards through inlined calls, whose
 * source is in scope. So attribution can be turned round, and a location's ranges are exactly the
 * addresses that are attributed to it.
 *
 * Not thread-safe. Everything returned is borrowed and lives as long as the symbols; only arrays of
 * ranges end with the next call that decodes or adds something (any but the plain getters).
 */
#pragma once

#include "base/error.h"
#include "base/ranges.h"
#include "profile/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;
struct scope; /* scope.h */

#define SYMBOLS_NONE UINT32_MAX

struct symbols_object {
	const char *path;     /* as the user knows it */
	const char *build_id; /* hex, "" if none */
	const char *
		open_path; /* how to open it where `path` is another file here (a container); or NULL */
	bool in_scope;     /* by `bin:` patterns, else: is the main executable */
	bool has_lines;   /* debug information was found (here or in a separate file) */
	bool has_symbols; /* .symtab or .dynsym has functions */
	bool is_32_bit;
};

struct symbols_location {
	enum target_kind kind;
	uint32_t object;
	const char *name;     /* "main.c:42" or the demangled function; unique enough to type */
	const char *function; /* demangled; NULL if unknown */
	const char *file;     /* NULL if unknown */
	unsigned line;        /* 0 if unknown; of a function: where it is declared */
};

struct symbols *symbols_new(enum target_kind granularity, const struct scope *scope);
void symbols_free(struct symbols *symbols);

/*
 * Adds the ELF file known to the user as `path` and readable as `open_path` (NULL: the same; or
 * /proc/PID/map_files/..., /proc/PID/root/...). Adding a file twice gives the same id; another file
 * of the same path, as another container may have it, gets its own.
 */
int symbols_add_object(struct symbols *symbols, const char *path, const char *open_path,
		       bool is_main, uint32_t *object, struct error *error);
/* Functions of JIT code from /tmp/perf-PID.map; offsets are addresses then. Re-read when it grew. */
int symbols_add_jit(struct symbols *symbols, const char *path, uint32_t *object,
		    struct error *error);
/*
 * The running kernel: its functions, and those of modules and BPF programs, from `names` (/proc/kallsyms),
 * as one object called "kernel" whose offsets are addresses; and, where `vmlinux` is not NULL, the
 * lines of the kernel itself from that file, as another. In scope if is_in_scope.
 */
int symbols_add_kernel(struct symbols *symbols, const char *names, const char *vmlinux,
		       bool is_in_scope, struct error *error);
bool symbols_is_kernel(const struct symbols *symbols, uint32_t object);
/*
 * Takes in modules and BPF programs that were loaded since, if the address may be of one; reads names
 * at most once a second.
 */
void symbols_refresh_kernel(struct symbols *symbols, uint64_t address);
/* The object and offset of an address in the kernel; false without symbols_add_kernel. */
bool symbols_kernel_offset(const struct symbols *symbols, uint64_t address, uint32_t *object,
			   uint64_t *offset);
/* The kernel's code that only waits for others; it is never in scope. 0, 0 if unknown. */
void symbols_scheduler(const struct symbols *symbols, uint64_t *start, uint64_t *end);
uint64_t symbols_kernel_address(const struct symbols *symbols, uint32_t object, uint64_t offset);
/* A function of the kernel by its name, or FILE:LINE of vmlinux; errors as symbols_find. */
int symbols_find_kernel(struct symbols *symbols, const char *name, uint32_t *location,
			struct error *error);
/*
 * Places that are no code: a system call, by number or name; waits of a class (I, L, S, B), those of the
 * code `at` or, with SYMBOLS_NONE, all.
 */
uint32_t symbols_system_call(struct symbols *symbols, int number);
int symbols_find_system_call(struct symbols *symbols, const char *name, uint32_t *location,
			     struct error *error);
uint32_t symbols_wait_class(struct symbols *symbols, enum sample_class class, uint32_t at);
/* A span of lever.h. It has no ranges here: which numbers its begins have is the collector's affair. */
#define SYMBOLS_SPAN_PREFIX "span:" /* of a span's location's name */
uint32_t symbols_span(struct symbols *symbols, const char *name);
bool symbols_is_spans(const struct symbols *symbols, uint32_t object);
bool symbols_is_system_calls(const struct symbols *symbols, uint32_t object);
const struct symbols_object *symbols_object(const struct symbols *symbols, uint32_t object);
uint32_t symbols_object_count(const struct symbols *symbols);

/*
 * The location to which the address is attributed, or SYMBOLS_NONE if nothing at it is in scope. In an
 * object without lines this is the function (from the symbol table), and without symbols either,
 * "name+0xoffset" of a 4096-byte block.
 */
uint32_t symbols_location_at(struct symbols *symbols, uint32_t object, uint64_t offset);
const struct symbols_location *symbols_location(const struct symbols *symbols, uint32_t location);
uint32_t symbols_location_count(const struct symbols *symbols);

/*
 * The ranges attributed to a location, sorted, as far as its units have been decoded (a location found
 * by symbols_find: in all units). Returns their number. They may grow when more units are decoded:
 * symbols_generation changes then.
 */
size_t symbols_location_ranges(struct symbols *symbols, uint32_t location,
			       const struct range **ranges);
uint64_t symbols_generation(const struct symbols *symbols);

/*
 * The parts of an object that are in scope, sorted: everything executable of an object in scope,
 * less what has turned out (in decoded units) to have no line in scope.
 */
size_t symbols_scope_ranges(struct symbols *symbols, uint32_t object, const struct range **ranges);

/*
 * The location that a user names: FILE:LINE (FILE may be the end of a path), FUNCTION, or FILE:FUNCTION
 * (a static one that has basename_group), in the objects added so far, those in scope first; with LINE
 * not having code, an error that names the nearest lines that do; unknown names: an error with the
 * nearest names. -ENXIO then, or -ENOENT if nothing is near (an object yet to come may have it);
 * -ENOTUNIQ if the name fits several, which the error lists.
 *
 * A location that is not of the granularity, or out of scope, gets no address attributed; its ranges
 * are then all its code (of a function: what is inlined in it included).
 */
int symbols_find(struct symbols *symbols, const char *name, uint32_t *location,
		 struct error *error);

/*
 * Where a breakpoint for FILE:LINE or FUNCTION goes: file offset of the first instruction (for
 * inlined copies: of each), in the object `only`, or the first that has it (SYMBOLS_NONE). At most `most`; `count` may be more than that. Errors as above. Where a
 * compiler moved an inlined copy's first instruction out of a loop, it runs less often than the copy.
 */
struct symbols_address {
	uint32_t object;
	uint64_t offset;
};
int symbols_breakpoints(struct symbols *symbols, const char *name, uint32_t only,
			struct symbols_address *addresses, size_t most, size_t *count,
			struct error *error);

/* USDT probes PROVIDER:NAME from .note.stapsdt; semaphore_offset is 0 if the probe has none. */
struct symbols_usdt {
	uint32_t object;
	uint64_t offset, semaphore_offset;
};
int symbols_usdt(struct symbols *symbols, const char *provider, const char *probe,
		 struct symbols_usdt *probes, size_t most, size_t *count, struct error *error);

/* A name for any address (in scope or not), for messages and listings: "memcpy", "libc.so.6+0x1234". */
const char *symbols_function_at(struct symbols *symbols, uint32_t object, uint64_t offset);
/* How to find the callers of its code: unwind_rows_read (object/unwind.h). */
struct unwind_row;
size_t symbols_unwind_rows(const struct symbols *symbols, uint32_t object,
			   struct unwind_row **rows);
/* Does the object define or need this symbol, or hold its name for dlsym, as coz.h does? */
bool symbols_references(struct symbols *symbols, uint32_t object, const char *symbol);
