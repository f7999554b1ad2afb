/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbols - maps addresses in binaries to code locations, and locations to their addresses.
 *
 * An object is an ELF file, or a JIT map for code without a file. Addresses are offsets in the
 * file, as the kernel's mappings have them, so they are the same in every process. Reading is
 * lazy: opening reads ELF headers; a compilation unit is decoded when its code is asked about.
 *
 * A location is a source line or a function (granularity) in one object. Each address is attributed
 * to at most one location: the innermost line whose source is in scope, going outwards through
 * inlined calls. A location's ranges are exactly the addresses that are attributed to it.
 *
 * Not thread-safe. Results are borrowed and live as long as the symbols, but for arrays of ranges,
 * which live until the next call that decodes or adds something (any but the plain getters).
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
	const char *path;      /* as seen by the program */
	const char *build_id;  /* hex, "" if none */
	const char *open_path; /* another way to open it, if `path` is a container's; or NULL */
	int fd;                /* of the file that was read; -1: there is no file */
	bool in_scope;         /* by `bin:` patterns, else: is the main executable */
	bool has_lines;        /* debug information was found (here or in a separate file) */
	bool has_symbols;      /* .symtab or .dynsym has functions */
	bool is_32_bit;
};

struct symbols_location {
	enum target_kind kind;
	uint32_t object;
	const char *name; /* "main.c:42" or the demangled function; unique enough to type */
	const char *function, *file; /* NULL if unknown; the function is demangled */
	unsigned line;               /* 0 if unknown; of a function: where it is declared */
};

struct symbols *symbols_new(enum target_kind granularity, const struct scope *scope);
void symbols_free(struct symbols *symbols);

/*
 * Adds the ELF file that the program has as `path` and that can be opened as `open_path` (NULL: the
 * same; else /proc/PID/map_files/... or /proc/PID/root/...). The same file keeps its id.
 */
int symbols_add_object(struct symbols *symbols, const char *path, const char *open_path,
		       bool is_main, uint32_t *object, struct error *error);
/* Gives back what was read of the file. Its number and locations stay, for when it comes back. */
void symbols_forget_object(struct symbols *symbols, uint32_t object);
/* The jitdump or perf map of a process, or NULL; sentences about files of others. Owned. */
char *symbols_jit_path(unsigned pid, char **refused);
#define SYMBOLS_JIT_UNTOLD RECORDING_JIT_OBJECT /* as a path: one function */
/* JIT code by such a file, which is read again if it grew. Offsets are addresses. */
int symbols_add_jit(struct symbols *symbols, const char *path, uint32_t *object,
		    struct error *error);
/*
 * Adds the running kernel: functions of the kernel, modules and BPF programs from `names`
 * (/proc/kallsyms) as one object "kernel" whose offsets are addresses; and the kernel's lines from
 * `vmlinux`, if it is not NULL, as another object.
 */
int symbols_add_kernel(struct symbols *symbols, const char *names, const char *vmlinux,
		       bool is_in_scope, struct error *error);
bool symbols_is_kernel(const struct symbols *symbols, uint32_t object);
/* Adds modules and BPF programs loaded since, where the address may be; once a second at most. */
void symbols_refresh_kernel(struct symbols *symbols, uint64_t address);
/* The object and offset of an address in the kernel; false without symbols_add_kernel. */
bool symbols_kernel_offset(const struct symbols *symbols, uint64_t address, uint32_t *object,
			   uint64_t *offset);
/* The kernel's scheduler and waiting functions, which are never in scope. 0, 0 if unknown. */
void symbols_scheduler(const struct symbols *symbols, uint64_t *start, uint64_t *end);
uint64_t symbols_kernel_address(const struct symbols *symbols, uint32_t object, uint64_t offset);
/* A function of the kernel by its name, or FILE:LINE of vmlinux; errors as symbols_find. */
int symbols_find_kernel(struct symbols *symbols, const char *name, uint32_t *location,
			struct error *error);
/* Synthetic: a system call; waits of a class (I, L, S, B) in the code `at` (SYMBOLS_NONE: all). */
uint32_t symbols_system_call(struct symbols *symbols, int number);
int symbols_find_system_call(struct symbols *symbols, const char *name, uint32_t *location,
			     struct error *error);
uint32_t symbols_wait_class(struct symbols *symbols, enum sample_class class, uint32_t at);
/* A span of lever.h, all processes of a name (comm). Without ranges; prefixes of their names. */
#define SYMBOLS_SPAN_PREFIX "span:"
#define SYMBOLS_PROCESS_PREFIX "process:"
uint32_t symbols_span(struct symbols *symbols, const char *name);
uint32_t symbols_process_name(struct symbols *symbols, const char *name);
uint32_t symbols_set(struct symbols *symbols, const char *name); /* several, under one name */
const struct symbols_object *symbols_object(const struct symbols *symbols, uint32_t object);
uint32_t symbols_object_count(const struct symbols *symbols);

/*
 * The location to which the address is attributed, or SYMBOLS_NONE if it is not in scope. In an
 * object without lines, the function by the symbol table; without symbols, "name+0xoffset", of a
 * function by the unwind information, or of a 4096-byte block.
 */
uint32_t symbols_location_at(struct symbols *symbols, uint32_t object, uint64_t offset);
const struct symbols_location *symbols_location(const struct symbols *symbols, uint32_t location);
uint32_t symbols_location_count(const struct symbols *symbols);

/*
 * The ranges attributed to a location, sorted, in the units decoded so far (in all units, if
 * symbols_find gave it). Returns their number. When more units are decoded, they may grow, and
 * symbols_generation changes.
 */
size_t symbols_location_ranges(struct symbols *symbols, uint32_t location,
			       const struct range **ranges);
uint64_t symbols_generation(const struct symbols *symbols);

/*
 * The parts of an object that are in scope, sorted: all code of an object in scope, less the code
 * of decoded units without a line in scope.
 */
size_t symbols_scope_ranges(struct symbols *symbols, uint32_t object, const struct range **ranges);

/*
 * The location that a user names: FILE:LINE, FUNCTION, FILE:FUNCTION (one of several static ones
 * of a name), or OBJECT+0xOFFSET (of code without a name). FILE may be the end of a path. Objects
 * in scope are searched first. Errors: -ENXIO with the nearest names, or nearest lines with code;
 * -ENOENT if nothing is near (a later object may have it); -ENOTUNIQ with the list of several.
 *
 * A location that is out of scope or not of the granularity has no attributed addresses; its ranges
 * are all of its code, of a function with the code that is inlined in it.
 */
int symbols_find(struct symbols *symbols, const char *name, uint32_t *location,
		 struct error *error);

/*
 * Breakpoints for FILE:LINE or FUNCTION: the file offset of the first instruction of each copy,
 * in the object `only`, or in the first that has it (SYMBOLS_NONE). Errors as symbols_find. Where
 * a compiler moved the first instruction of an inlined copy out of a loop, it runs less often
 * than the copy. The addresses are appended; the caller frees them with array_free.
 */
struct symbols_address {
	uint32_t object;
	uint64_t offset;
	uint64_t semaphore_offset; /* of a USDT probe; 0: none */
};
struct symbols_addresses {
	struct symbols_address *items;
	size_t count, capacity;
};
int symbols_breakpoints(struct symbols *symbols, const char *name, uint32_t only,
			struct symbols_addresses *addresses, struct error *error);
/* The same for the USDT probes PROVIDER:NAME, from .note.stapsdt. */
int symbols_usdt(struct symbols *symbols, const char *provider, const char *probe,
		 struct symbols_addresses *addresses, struct error *error);

/*
 * A function with all that it calls: its code is all of its own, with what is inlined in it, also
 * out of scope. `symbols_functions_at`: those at an address, innermost inlined one first; without
 * scope patterns also those of objects out of scope. Returns their number, at most `most`.
 */
#define SYMBOLS_INCLUSIVE_PREFIX "inclusive:" /* of such a location's name */
#define SYMBOLS_ALLOCATION "malloc and free"  /* such functions of one object, as one */
size_t symbols_functions_at(struct symbols *symbols, uint32_t object, uint64_t offset,
			    uint32_t *locations, size_t most);
int symbols_find_inclusive(struct symbols *symbols, const char *name, uint32_t *location,
			   struct error *error);

/* A name for any address, in scope or not: "memcpy", "libc.so.6+0x1234". */
const char *symbols_function_at(struct symbols *symbols, uint32_t object, uint64_t offset);
/* How to find the callers of its code: unwind_rows_read (object/unwind.h). */
struct unwind_row;
size_t symbols_unwind_rows(const struct symbols *symbols, uint32_t object,
			   struct unwind_row **rows);
/*
 * Loops of the function at the offset in which a thread only waits for another (spin/spin_loops.h):
 * appends their code, and that of functions that they call. False: no function is known there, or
 * the code is not x86-64's. Without Zydis no loops are found.
 */
bool symbols_spin_loops(struct symbols *symbols, uint32_t object, uint64_t offset,
			struct range *function, struct ranges *loops, struct ranges *helpers);
/* Whether it finds them in this machine's code: Lever was built with Zydis, for x86-64. */
bool symbols_finds_spin_loops(void);
/*
 * A function that ends in a jump to another one has no frame while that runs (a tail call). The
 * code at `offset` was reached from the call at `call`, a caller's offset in a chain: appends the
 * functions between them, outermost first, each at the jump that left it.
 */
void symbols_tail_calls(struct symbols *symbols, const struct symbols_address *call,
			const struct symbols_address *callee, struct symbols_addresses *between);
/*
 * For a sample whose innermost code in scope is at the offset, and belongs to `location`: the
 * location of the last function that this call entered, if that left the scope by a jump; in code
 * without symbols, of the function of another file that it calls; else `location`. The call's last
 * byte becomes that function's, and symbols_generation changes.
 */
uint32_t symbols_tail_location(struct symbols *symbols, uint32_t object, uint64_t offset,
			       uint32_t location);
/* Does the object define or need this symbol, or hold its name for dlsym, as coz.h does? */
bool symbols_references(struct symbols *symbols, uint32_t object, const char *symbol);
