/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parser - the engine's side: a process without rights that reads binaries, and what it told.
 *
 * A question waits for its answer. What the parser told of objects and locations is kept here, so
 * plain getters ask nothing and pointers stay good. When the parser has ended, or is silent for
 * too long and is killed, what it told stays, and other code is told by its address.
 */
#pragma once

#include "base/hash_map.h"
#include "base/interner.h"
#include "symbolize/batches.h"
#include "symbolize/listing.h"
#include "symbolize/parser/broker.h"
#include "symbolize/parser/message.h"
#include "symbolize/parser/operation.h"
#include "symbolize/parser/starter.h"
#include "symbolize/patterns.h"
#include "symbolize/python.h"
#include "symbolize/symbols.h"
#include "symbolize/variables.h"

#include <sys/types.h>

struct parsed_object {
	struct symbols_object shown;
	uint32_t served; /* its number in the process; SYMBOLS_NONE: that does not know it */
	dev_t device;    /* with inode: which file it is; 0: none */
	ino_t inode;
	int64_t size, modified_ns;
	bool is_kernel, is_main, is_jit, is_seen_through;
	bool is_forgotten; /* its file is closed, until it is added again */
	unsigned ends;     /* processes that ended while they read it */
	struct ranges scope_ranges;
	uint64_t scope_generation;
};

struct parsed_location {
	struct symbols_location shown;
	struct ranges ranges;
	struct symbols_addresses calls; /* symbols_far_calls */
	bool has_ranges;                /* they are the ones that hold */
};

/* A piece of vmlinux. */
struct kernel_piece {
	uint64_t start, end; /* offsets */
	uint64_t address;
};

struct parser_kernel {
	bool is_known;
	uint64_t core_start, core_end; /* without modules */
	uint64_t scheduler_start, scheduler_end;
	uint32_t object, vmlinux; /* or SYMBOLS_NONE */
	ARRAY(struct kernel_piece) pieces;
	uint64_t checked_ns;
	uint32_t newest_program;
};

struct parser {
	int socket;
	pid_t pid;
	unsigned patience_s;
	char *ended;   /* why, with what it read; NULL: it answers */
	char *warning; /* of the first process that ended and was replaced; NULL: none */
	const struct scope *scope;
	struct broker broker;
	struct message ask, answer;
	struct interner texts;
	ARRAY(struct parsed_object *) objects;     /* pointers: lent out */
	ARRAY(struct parsed_location *) locations; /* the same */
	uint64_t generation;
	bool names_may_appear;
	uint32_t python_object; /* SYMBOLS_NONE: not asked for yet */
	struct parser_kernel kernel;
	struct hash_map numbered; /* locations that never change: system calls, spans, ... */
	struct hash_map at;       /* (object, offset) -> location, of one generation */
	uint64_t at_generation;
	struct hash_map sampled; /* the same of symbols_sampled_location */
	uint64_t sampled_generation;
	struct hash_map functions; /* (object, offset) -> text, of files */

	/* For the next process, as symbols_renew tells. */
	struct starter starter;
	ARRAY(uint32_t) served; /* by the process's number: an object's here */
	uint32_t adding;        /* the object that it is told of; SYMBOLS_NONE: a new one */
	ARRAY(struct message) python_codes;
	uint64_t began_ns;
	unsigned replaced;    /* processes that had ended */
	uint64_t first_bytes; /* its own memory at its beginning */
	uint64_t most_bytes;  /* how much more it may take */
};

/* Takes the socket; `pid` is the parser's. NULL: it does not say that its sandbox holds. */
struct parser *parser_new(int socket, pid_t pid, const struct scope *scope);
void parser_free(struct parser *parser); /* ends the process */
/* Why it ended, or another one before it, as a warning; NULL: none did. */
const char *parser_warning(const struct parser *parser);

/* parser.c: arguments are added to parser->ask between these; the result is in parser->answer. */
void parser_begin(struct parser *parser, enum operation operation);
/* `about`: what is read, for the warning; or NULL. `fd`: handed over, or -1. False: no answer. */
bool parser_ask(struct parser *parser, const char *about, int fd);
/* Another process in its place, also of one that has ended, which knows nothing yet. */
void parser_renew(struct parser *parser, int socket, pid_t pid);
/* The answer cannot be right: the process is killed. */
void parser_distrust(struct parser *parser);
/* Takes code, number and error of a result; -EIO without an answer. */
int parser_take_result(struct parser *parser, uint64_t *value, struct error *error);
int parser_no_answer(const struct parser *parser, struct error *error);

/* parsed_code.c: what was told. */
void parser_take_changes(struct parser *parser);
void parser_clear_code(struct parser *parser);
/* Locations, names and numbers; the objects stay. */
void parser_forget_code(struct parser *parser);
/* An object by the process's number for it, and the reverse; SYMBOLS_NONE: there is none. */
uint32_t parser_told_object(const struct parser *parser, uint64_t told);
uint32_t parser_served(const struct parser *parser, uint32_t object);
struct parsed_object *parser_add_object_by_hand(struct parser *parser, const char *path);
/* The block of code around the offset, without the parser's help. */
uint32_t parser_block(struct parser *parser, uint32_t object, uint64_t offset);
uint32_t parser_named(struct parser *parser, enum target_kind kind, const char *name);

/* parsed_objects.c. Tells the process of an object, if it does not know it; false: it cannot. */
bool parser_serve_object(struct parser *parser, uint32_t object);
/* parser_begin, and an object; false: it cannot be told of. */
bool parser_begin_about(struct parser *parser, enum operation operation, uint32_t object);
const struct parsed_object *parser_object(const struct parser *parser, uint32_t object);
int parser_add_object(struct parser *parser, const char *path, const char *open_path, bool is_main,
		      uint32_t *object, struct error *error);
int parser_add_jit(struct parser *parser, const char *path, uint32_t *object, struct error *error);
void parser_forget_object(struct parser *parser, uint32_t object);
void parser_see_through(struct parser *parser, uint32_t object);
uint32_t parser_python_object(struct parser *parser);

/* batches.c: as those of batches.h; false: there is no answer. */
uint32_t parser_sampled_location(struct parser *parser, uint32_t object, uint64_t offset);
void parser_look_up_sampled(struct parser *parser, const struct symbols_address *addresses,
			    size_t count);
bool parser_locations_at(struct parser *parser, const struct symbols_address *addresses,
			 size_t count, uint32_t *locations);
bool parser_tail_calls_of(struct parser *parser, const struct symbols_call *calls, size_t count,
			  struct symbols_addresses *between, uint32_t *counts);

/* calls.c: as the functions of symbols.h, python.h, patterns.h, variables.h, listing.h. */
int parser_add_kernel(struct parser *parser, const char *names, const char *vmlinux,
		      bool is_in_scope, struct error *error);
void parser_refresh_kernel(struct parser *parser, uint64_t address);
bool parser_kernel_offset(const struct parser *parser, uint64_t address, uint32_t *object,
			  uint64_t *offset);
uint64_t parser_kernel_address(const struct parser *parser, uint32_t object, uint64_t offset);
uint32_t parser_system_call(struct parser *parser, int number);
uint32_t parser_wait_class(struct parser *parser, enum sample_class class, uint32_t at);
uint32_t parser_text_location(struct parser *parser, enum operation operation, const char *name);
int parser_find(struct parser *parser, enum operation operation, const char *name,
		uint32_t *location, struct error *error);
int parser_find_pattern(struct parser *parser, const char *glob, bool of_kernel,
			struct error *error);
const struct symbols_location *parser_location(const struct parser *parser, uint32_t location);
uint32_t parser_location_at(struct parser *parser, uint32_t object, uint64_t offset);
size_t parser_location_ranges(struct parser *parser, uint32_t location,
			      const struct range **ranges);
char *parser_jumps_to(struct parser *parser, uint32_t location);
size_t parser_far_calls(struct parser *parser, uint32_t location,
			const struct symbols_address **calls);
size_t parser_scope_ranges(struct parser *parser, uint32_t object, const struct range **ranges);
int parser_breakpoints(struct parser *parser, const char *name, uint32_t only,
		       struct symbols_addresses *addresses, struct error *error);
int parser_usdt(struct parser *parser, const char *provider, const char *probe,
		struct symbols_addresses *addresses, struct error *error);
size_t parser_functions_at(struct parser *parser, uint32_t object, uint64_t offset,
			   uint32_t *locations, size_t most);
const char *parser_function_at(struct parser *parser, uint32_t object, uint64_t offset);
size_t parser_unwind_rows(struct parser *parser, uint32_t object, struct unwind_row **rows);
bool parser_spin_loops(struct parser *parser, const struct symbols_address *at,
		       struct range *function, struct ranges *loops, struct ranges *helpers);
bool parser_retry_loops(struct parser *parser, const struct symbols_address *at,
			struct range *function, struct ranges *loops);
char *parser_listing(struct parser *parser, enum listing_kind kind);
void parser_tail_calls(struct parser *parser, const struct symbols_address *call,
		       const struct symbols_address *callee, struct symbols_addresses *between);
uint32_t parser_tail_location(struct parser *parser, uint32_t object, uint64_t offset,
			      uint32_t location);
bool parser_references(struct parser *parser, uint32_t object, const char *symbol);
char *parser_variable_at(struct parser *parser, uint32_t object, uint64_t offset);
enum symbols_python_state parser_python(struct parser *parser, uint32_t object,
					struct symbols_python *found);
void parser_add_python_code(struct parser *parser, const struct symbols_python_code *code);
