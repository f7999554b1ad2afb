/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * schema - the tables of a profile, and the field of a recording that each column holds.
 *
 * docs/profile-format.md documents the same tables; a test compares the two.
 */
#pragma once

#include "profile/recording.h"

#define SCHEMA_APPLICATION_ID 0x4c455652 /* "LEVR" */
#define SCHEMA_VERSION 24
#define SCHEMA_PARTS SIZE_MAX

/* How a field is stored. Values of a file are checked against it. */
enum column_type {
	COLUMN_ID,     /* int64_t, > 0 */
	COLUMN_COUNT,  /* uint64_t, < 2^63 */
	COLUMN_BITS,   /* uint64_t, any; stored as the signed number with the same bits */
	COLUMN_SIGNED, /* int64_t, any */
	COLUMN_WORD,   /* unsigned */
	COLUMN_STATUS, /* int, any */
	COLUMN_FLAG,   /* bool */
	COLUMN_REAL,   /* double, finite and not negative */
	COLUMN_CHOICE, /* an enum, stored as its name */
	COLUMN_TEXT,   /* char *, or NULL */
	COLUMN_BYTES,  /* struct recording_bytes */
};

struct column {
	const char *name;
	enum column_type type;
	size_t offset; /* of the field in the row's struct */
	/* COLUMN_CHOICE only: name of a value, NULL past the last. */
	const char *(*choice)(unsigned);
	const char *refers; /* the table whose id it is; or NULL */
	int since;          /* the first version that has it; 0: all that have the table */
	const char *before; /* its value in SQL in files of older versions */
};

struct table {
	const char *name;
	const struct column *columns;
	size_t count;
	int since;       /* the first version that has it */
	const char *key; /* the columns of its primary key, with commas; or NULL */
	size_t row_size; /* of the struct */
	size_t rows;     /* offset of the array in struct recording; SCHEMA_PARTS: in experiments */
	bool replaces;   /* a row replaces the one with the same key */
};

/* A row of the table visit. */
struct schema_visit {
	int64_t experiment_id;
	struct recording_visit visit;
};

enum {
	TABLE_RUN,
	TABLE_TARGET,
	TABLE_POINT,
	TABLE_EXPERIMENT,
	TABLE_VISIT,
	TABLE_SAMPLE,
	TABLE_TOTAL,
	TABLE_FRAME,
	TABLE_STACK,
	TABLE_THREAD,
	TABLE_STACK_SAMPLE,
	TABLE_STRING,
	TABLE_CHUNK,
	TABLE_PARALLEL,
	TABLE_LEVEL,
	TABLE_PROCESS_VISITS,
	TABLE_OVERHEAD,
	TABLE_RUN_CONDITIONS,
	TABLE_WHAT_IF,
	TABLE_TARGET_SAMPLE,
	TABLE_STEAL,
	TABLE_LENGTH,
	TABLE_WAKEUP,
	TABLE_MEMBER,
	TABLE_SET_SEARCH,
	TABLE_SET_MEASURE,
	TABLE_CALL_EDGE,
	TABLE_MARK,
	TABLE_CLOCK,
	TABLES,
};

extern const struct table schema_tables[TABLES];
/* Is its key one id, by which SQLite numbers its rows? */
bool schema_has_id(const struct table *table);
/* SQL to make the table, and to add the column to an older file. The caller frees it. */
char *schema_create(const struct table *table);
char *schema_add_column(const struct table *table, const struct column *column);
