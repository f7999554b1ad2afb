/* SPDX-License-Identifier: BSD-2-Clause */
/* diff_options - the options of `lever diff`. */
#pragma once

#include "analyze/diff/run_pairs.h"
#include "cli/options/options.h"
#include "cli/options/values.h"

#define DIFF_PAIRS_MOST 100000
#define DIFF_SECONDS_DEFAULT 60.0
#define DIFF_SMALLEST_DEFAULT 0.005

struct diff_values {
	int format;
	const char *output;
	/* Two commands: */
	const char *pair; /* the first; the second is an operand */
	struct value_texts links;
	unsigned runs, layouts;
	double seconds; /* a side */
	double smallest;
	struct value_number seed;
	bool show_output, ignore_failure, quiet, all_runs;
	/* Two profiles: */
	const char *against, *point;
	double gate; /* or RUN_PAIRS_NO_GATE */
};

/* Commands of operands around "--vs"; both NULL: there is none. Ends `before` with NULL. */
struct diff_commands {
	char **before, **after;
};

/* Takes both commands out of the operands behind a "--"; -EINVAL with a sentence. */
int diff_split_commands(char **operands, int count, struct diff_commands *commands,
			struct error *error);
/* A shell's line as arguments: its words, or /bin/sh -c where a shell is needed. Freed by the
 * caller, with items[0], in which the words are. */
struct value_words {
	char **items;
	size_t count, capacity;
	char *line;
};
struct value_words diff_words(const char *command);
void diff_words_release(struct value_words *words);
