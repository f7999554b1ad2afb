/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * target_pattern - names of --target with * or ?: each function, system call or span that matches
 * is a target, once it has samples.
 *
 * Characters within brackets, and those of C++ operators, belong to a plain name: "f(char *)",
 * "list<int *>::push", "operator*".
 */
#pragma once

#include "experiment/target/target_kinds.h"

bool target_pattern_is(const char *name);
/* Without the prefix of its kind. */
const char *target_pattern_glob(const char *name);
/* What its targets are in a session of this granularity: functions instead of their lines. */
enum target_kind target_pattern_granularity(const char *name, enum target_kind asked);
/* Whether its matches are code, so that the scope has to have them. */
bool target_pattern_is_code(const char *name);
bool target_pattern_is_kernel(const char *name);
/* Errors as symbols_find: nothing that the program has matches. */
int target_pattern_find(struct target_lookup *lookup, const char *name, struct error *error);
bool target_pattern_matches(const char *name, const struct symbols_location *location);
