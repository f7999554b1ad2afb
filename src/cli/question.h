/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * question - the first target of a causal profile, for `lever scale` to ask whether it matters on other
 * numbers of cores.
 */
#pragma once

#include "profile/recording.h"

/*
 * From the profile at `path`, if it has a target whose effect is sure; `arguments`: of the program, which
 * must be the same, or NULL: any. False if there is none. The texts are to be released.
 */
bool question_find(const char *path, char *const *arguments, struct recording_question *question);
void question_release(struct recording_question *question);
