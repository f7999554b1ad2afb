/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * schema - which tables a profile has, and which column holds which field of a recording.
 *
 * docs/profile-format.md shows the same to readers; a test compares the two.
 */
#pragma once

#include "profile/recording.h"

#define SCHEMA_APPLICATION_ID 0x4c455652 /* "LEVR" */
#define SCHEMA_VERSION 1

/* How a field is kept. Whatever a file says is checked against this when it is read. */
enum column_type {
	COLUMN_ID,      /* int64_t, > 0 */
	COLUMN_COUNT,   /* uint64_t, < 2^63 */
	COLUMN_BITS,    /* uint64_t, any; kept as the signed number with the same bits */
	COLUMN_SECONDS, /* int64_t, any */
	COLUMN_WORD,    /* unsigned */
	COLUMN_STATUS,  /* int, any */
	COLUMN_FLAG,    /* bool */
	COLUMN_REAL,    /* double, finite and not negative */
	COLUMN_CHOICE,  /* an enum, kept as its name */
	COLUMN_TEXT,    /* char *, or NULL */
};

struct column {
	const char *name;
	enum column_type type;
	size_t offset; /* of the field in the row's struct */
	const char *(*choice)(
		unsigned); /* COLUMN_CHOICE only: name of a value, NULL past the last */
};

struct table {
	const char *name;
	const char *create; /* SQL */
	const struct column *columns;
	size_t count;
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
	TABLES,
};

extern const struct table schema_tables[TABLES];
