/* SPDX-License-Identifier: BSD-2-Clause */
/* screen_model - the rows of the table: read anew, filtered and sorted; no terminal. */
#pragma once

#include "report/causal/verdict.h"

#include <stdbool.h>
#include <stddef.h>

enum screen_order { SCREEN_BY_RANK, SCREEN_BY_SHARE, SCREEN_BY_EXPERIMENTS, SCREEN_BY_NAME };
#define SCREEN_ORDERS 4

struct screen_model {
	const char *path;
	struct recording *recording; /* NULL: nothing yet */
	struct causal *causal;
	struct target_verdicts verdicts;
	ARRAY(const struct target_verdict *) rows; /* shown ones, in order */
	enum screen_order order;
	char filter[64]; /* part of a name or function; "" for all */
	char *chosen;    /* name of the chosen target; NULL: the first row */
	size_t at;       /* row of the chosen target */
};

/* Reads the file again; one that cannot be read leaves what is there. */
void screen_model_load(struct screen_model *model);
/* After a change of order or filter. */
void screen_model_arrange(struct screen_model *model);
/* Chooses the row so many further down, as far as there are rows. */
void screen_model_move(struct screen_model *model, long rows);
/* NULL: there are no rows. */
const struct target_verdict *screen_model_chosen(const struct screen_model *model);
void screen_model_release(struct screen_model *model);
