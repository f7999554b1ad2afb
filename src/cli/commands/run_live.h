/* SPDX-License-Identifier: BSD-2-Clause */
/* run_live - what `lever run` shows besides its line: a page by HTTP, or a table. */
#pragma once

#include "cli/commands/live_view.h"
#include "cli/commands/run_options.h"

/* Neither option: there is no view. */
int run_live_begin(const struct run_options *options, struct live_view *view, struct error *error);
void run_live_end(const struct run_options *options, struct live_view *view);
