/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * name_sparing - whose code is asked for its names while CPU time is short: binaries that were
 * asked about before, and those that run now. One that ran for a moment, as a test that was just
 * built, is told by addresses: reading its debug information costs more than all of its samples.
 */
#pragma once

#include "base/hash_map.h"
#include "experiment/target/mapped_files.h"

struct name_sparing {
	const struct mapped_files *mapped_files;
	bool is_on;
	uint64_t since_ns;     /* what was sampled since then runs now */
	struct hash_map asked; /* objects */
	uint64_t places;       /* told by addresses */
};

void name_sparing_set(struct name_sparing *sparing, const struct mapped_files *mapped_files,
		      bool is_on, uint64_t now_ns);
/* The same answer until it is set again. True: the object counts as asked about. */
bool name_sparing_asks(struct name_sparing *sparing, uint32_t object);
/* The parser knows no object any more. */
void name_sparing_forget(struct name_sparing *sparing);
