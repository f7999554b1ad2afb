/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what_if - the first target of a causal profile, for `lever scale` to ask whether it matters on other
 * numbers of cores.
 */
#pragma once

#include "profile/recording.h"

/*
 * From the profile at `path`, if it has a target whose effect is sure; `arguments`: of the program, which
 * must be the same, or NULL: any. False if there is none. The texts are to be released.
 */
bool what_if_find(const char *path, char *const *arguments, struct recording_what_if *what_if);
void what_if_release(struct recording_what_if *what_if);
