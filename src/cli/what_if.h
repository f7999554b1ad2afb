/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what_if - the first target of a causal profile, for which `lever scale` predicts whether it
 * matters on other numbers of cores.
 */
#pragma once

#include "profile/recording.h"

/*
 * The profile at `path` must have a target of certain effect; else false. `arguments`: the profile
 * must be of this program; NULL: of any. The texts are to be released.
 */
bool what_if_find(const char *path, char *const *arguments, struct recording_what_if *what_if);
void what_if_release(struct recording_what_if *what_if);
