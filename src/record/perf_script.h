/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_script - the text that `perf script` prints becomes a run of samples in a profile.
 *
 * Understood are its default fields, pid, period and srcline besides (perf-script(1)), and the
 * lines of --header; other fields are passed over if they stand behind these. Samples of a clock
 * weigh their period. Those of cycles have no time: they share the time of all, which is the number
 * of samples times the median gap between two of one core (of one thread, where cores are not
 * named). Samples of `perf record --off-cpu` weigh their period and are of class B. Other events
 * are counted and left out, as are samples of a second clock.
 */
#pragma once

#include "profile/profile.h"

#include <stdio.h>

struct perf_script_counts {
	uint64_t samples, left_out;
	char *left_out_event; /* the first one left out; to be freed */
};

/* Adds a run of the whole text. -EINVAL with the line's number if it is no text of perf script. */
int perf_script_import(FILE *in, const char *version, struct profile *profile,
		       struct perf_script_counts *counts, struct error *error);
