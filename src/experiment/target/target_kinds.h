/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * target_kinds - what a target can be: a line, a function, kernel code, a span, a process, ...
 *
 * A kind is one file (target_NAME.c), which defines a struct target_kind_row, and one line of the
 * table in target_kinds.c. Names of --target, the choices of --granularity, samples and ranges are
 * handled by that table alone.
 */
#pragma once

#include "collect/collector.h"
#include "symbolize/symbols.h"

struct address_lookup;
struct jit_maps;
struct process_names;

/* In what names and samples are looked up. */
struct target_lookup {
	struct symbols *symbols;
	struct collector *collector;
	struct jit_maps *jit_maps;
	struct address_lookup *addresses;
	struct process_names *process_names;       /* NULL: of another host */
	uint32_t span_locations[WIRE_POINTS_MOST]; /* by point; SYMBOLS_NONE: not looked up yet */
};

struct target_kind_row {
	enum target_kind kind;    /* of its locations */
	const char *prefix;       /* of its names for --target; NULL: every other name is one */
	bool is_in_files;         /* names are looked up again when files are added */
	bool appears_late;        /* a name may appear without a new file */
	bool needs_kernel_engine; /* as --granularity */
	bool is_pool;             /* as --granularity: targets of several kinds */
	/* Asks the engine for what the kind (`name`: without prefix; or NULL) needs; or NULL. */
	void (*enable)(struct collector_target_kinds *kinds, const char *name);
	/* The location of a name without its prefix; errors as symbols_find. */
	int (*find)(struct target_lookup *lookup, const char *name, uint32_t *location,
		    struct error *error);
	/* What the thread did, or SYMBOLS_NONE; NULL: the sampled code decides. */
	uint32_t (*location_of)(struct target_lookup *lookup, const struct wire_sample *sample);
	/* One range for the collector; NULL: those of the location. */
	struct wire_range (*range)(const struct target_lookup *lookup, uint32_t location);
};

/* The choices of --granularity, NULL at the end; and the row of such an index. */
extern const char *const target_granularities[];
const struct target_kind_row *target_granularity(int index);

extern const struct target_kind_row target_all;
/* NULL: locations of this kind are no target of their own (classes of waits, external pacing). */
const struct target_kind_row *target_kind_row(enum target_kind kind);
/* The row whose prefix the name has. */
const struct target_kind_row *target_kind_of_name(const char *name);
/*
 * "func:NAME" is the function NAME, or a pattern of functions, as NAME alone is, which is returned;
 * other names as they are. NULL: what follows func: is a line, or a target of another kind.
 */
#define TARGET_FUNCTION_PREFIX "func:"
const char *target_name_of_function(const char *name, struct error *error);
int target_kind_find(struct target_lookup *lookup, const char *name, uint32_t *location,
		     struct error *error);
/* Asks for everything that the granularity and a target of this name (NULL: none) need. */
void target_kinds_enable(struct collector_target_kinds *kinds, enum target_kind granularity,
			 const char *name);

/* target_class.c: CLASS_BIT as WAIT_CLASS_BIT; that of a class's letter, 0 if there is none. */
#define TARGET_CLASS_PREFIX "class:"
uint32_t target_wait_classes(uint32_t bits);
uint32_t target_class_of_name(const char *name);
