/* SPDX-License-Identifier: BSD-2-Clause */
/* profile_notes - what else differs between two profiles, as sentences. */
#pragma once

#include "analyze/diff/profile_pair.h"

/* Adds to pair->notes, and sets is_void. */
void profile_notes_add(struct profile_pair *pair);
/* Adds one sentence, which is freed with the pair. */
void profile_notes_add_one(struct profile_pair *pair, char *sentence);
