/* SPDX-License-Identifier: BSD-2-Clause */
/* script_name - the names that V8 gives to code of JavaScript, in jitdumps and perf maps. */
#pragma once

#include "base/interner.h"
#include "symbolize/object/symtab.h"

#include <stdbool.h>

struct script_name {
	unsigned line, column; /* where the function begins; column 0: not told */
	bool is_baseline;      /* its code has no other function inlined: bytecode or Sparkplug */
};

/*
 * "JS:*first /srv/app.js:12:3" is "first" of /srv/app.js, however it was compiled. Sets name, file
 * and source of the entry; false: the name is none of a script, and nothing is set.
 */
bool script_name_read(struct interner *texts, const char *text, struct symtab_entry *entry,
		      struct script_name *name);
