/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flows - how long work takes that one thread sends and another takes: arrows, by name and number.
 *
 * A mark that takes belongs to the last one before it, in time, that sent the same number under the same
 * name. Beyond FLOWS_MOST marks the rest is left out, and counted.
 */
#pragma once

#include "analyze/timeline/spans.h"

#define FLOWS_MOST 4000000

struct flows;

struct flows *flows_new(void);
void flows_free(struct flows *flows);
/* In any order. */
void flows_add(struct flows *flows, const struct mark *mark);
void flows_find(struct flows *flows, struct spans *spans);
