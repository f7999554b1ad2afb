/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * history - the rate of a program over many profiles, and where it changed.
 *
 *	struct history *history = history_new();
 *	history_add(history, "3f2c1a", recording);     for each profile; nothing of it is kept
 *	history_finish(history);
 */
#pragma once

#include "base/memory.h"
#include "profile/recording.h"

#include <stdbool.h>

struct history_entry {
	char *label;        /* the file's name */
	char *commit;       /* of the sources, in hex; NULL: unknown */
	int64_t started_s;  /* Unix time of the first run */
	double period_ns;   /* effective time of a visit at speedup 0 */
	double error;       /* standard error of its logarithm */
	char *first_place;  /* function with the largest sure gain; NULL: none */
	double first_slope; /* program speedup by speedup of it */
	bool is_change;     /* the rate changed between the entry before and this one */
	double change;      /* of the rate, as a fraction, between the segments */
};

struct history {
	ARRAY(struct history_entry) entries; /* by time */
	char *point;
	char *program; /* of the first profile; NULL: unknown */
	size_t changes;
	unsigned skipped; /* profiles without the point, of other programs, or short */
};

/* `point`: the progress point's name; NULL: the first one of the first profile. */
struct history *history_new(const char *point);
void history_free(struct history *history);
void history_add(struct history *history, const char *label, const struct recording *recording);
/* Orders the entries, and finds changes. */
void history_finish(struct history *history);
