/* SPDX-License-Identifier: BSD-2-Clause */
/* recordings_causal - profiles as the engine writes them, equal on all machines. */
#pragma once

#include "profile/profile.h"

/*
 * pipeline: lines that help, hurt, do nothing, or were not measured, at one progress point.
 * latency:  two runs of chosen functions, at a throughput and a latency point; one run crashed.
 * hostile:  names with every sort of bytes, and a recording that was cut short.
 * rare:     every experiment had too few visits.
 * short:    the program ended before there was an experiment.
 * markup:   names that a page, a spreadsheet or a script could take for something else.
 * kinds:    a line and two functions.
 * sets:     sets that a search found, of which one is confirmed.
 * wide:     200 lines of files that this repository has, at two progress points.
 */
extern const char *const recordings[];
extern const unsigned recordings_count;

/* Writes the recording of that name; 0 or a negative errno. */
int recordings_write(const char *name, const char *path, struct error *error);
