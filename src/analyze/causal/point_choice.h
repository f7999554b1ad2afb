/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * point_choice - by which of the progress points that Lever found itself the targets are judged.
 *
 * Each found point is a guess of what the program's work is. A guess is trusted as far as another
 * one says the same of the targets: gains are compared target by target. Effects at the points that
 * were not chosen are dropped, so a table has one answer for each target. Points that the user, or
 * the program, named are no guesses; where there are any, the found ones are dropped.
 */
#pragma once

#include "profile/recording.h"

#include <stddef.h>

struct causal_target;

struct point_choice {
	const struct recording_point *used;     /* NULL: nothing was to choose */
	const struct recording_point *agreeing; /* that agrees with it most; NULL: none */
	const struct recording_point *opposing; /* that contradicts it; NULL: none */
};

struct point_choice point_choice_make(const struct recording *recording,
				      struct causal_target *targets, size_t count);
