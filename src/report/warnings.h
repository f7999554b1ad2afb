/* SPDX-License-Identifier: BSD-2-Clause */
/* warnings - what a reader should know before trusting a report. */
#pragma once

#include "profile/recording.h"
#include "report/run_totals.h"

/* Distinct sentences, of any bytes, as the notes of runs are. */
struct warnings {
	char **items;
	size_t count, capacity;
};

/* Runs that were cut short. */
void warnings_add_end(struct warnings *warnings, const struct run_totals *totals);
/* Notes of the engine on one run, and on all runs. */
void warnings_add_note(struct warnings *warnings, const struct recording_run *run);
void warnings_add_notes(struct warnings *warnings, const struct recording *recording);
void warnings_release(struct warnings *warnings);
