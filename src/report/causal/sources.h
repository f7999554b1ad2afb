/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sources - the source lines around targets, from the files that the debug information names.
 *
 * The profile may come from somebody else: only regular files with names of source files are read,
 * so that a page that is passed on holds nothing else.
 */
#pragma once

#include "analyze/causal/causal.h"

#include <jansson.h>

/*
 * An array of {"file": as in the targets, "newer": changed after the last run began, "lines":
 * {"42": text}}. Files that cannot be read are left out.
 */
json_t *sources_of(const struct recording *recording, const struct causal *causal);
