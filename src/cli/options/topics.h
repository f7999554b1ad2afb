/* SPDX-License-Identifier: BSD-2-Clause */
/* topics - pages of docs/ inside the program, for `lever help TOPIC`; written by topics.py. */
#pragma once

#include <stddef.h>

struct help_topic {
	const char *name, *answer; /* "servers"; what the page answers, without a full stop */
	const char *const *lines;  /* at most 80 columns each, ends with NULL */
};

extern const struct help_topic help_topics[];
extern const size_t help_topics_count;
