/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sources - the source lines around targets, from the files that the debug information names.
 *
 * The names come from a profile, which may be another's: only regular files are read whose names
 * end as source files' do, so that a page which is passed on holds nothing else.
 */
#pragma once

#include "analyze/causal/causal.h"

#include <jansson.h>

/*
 * An array of {"file": as in the targets, "newer": changed after the last run began, "lines":
 * {"42": text}}. What cannot be read is left out.
 */
json_t *sources_of(const struct recording *recording, const struct causal *causal);
