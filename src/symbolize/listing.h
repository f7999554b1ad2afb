/* SPDX-License-Identifier: BSD-2-Clause */
/* listing - the names that a binary has, for those who have not typed one yet. */
#pragma once

struct symbols;

enum listing_kind {
	LISTING_FUNCTIONS, /* its own, as symbols_find takes them, without those of compilers */
	LISTING_PROBES,    /* USDT: PROVIDER:NAME */
	LISTING_SOURCES,   /* the source files of its compilation units, as absolute paths */
	LISTING_KINDS,
};

/* Of the objects in scope, one a line, each line ended; "" if there are none. The caller frees. */
char *listing_of(struct symbols *symbols, enum listing_kind kind);
