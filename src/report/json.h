/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json - JSON reports as trees of jansson: values, parts that all reports share, and writing.
 *
 * The caller frees what a function returns. base/json.h writes JSON that is too large for a tree.
 */
#pragma once

#include "report/run_totals.h"
#include "report/warnings.h"

#include <jansson.h>
#include <stdio.h>

/* These free the tree. The flags are jansson's. */
void json_write(FILE *out, json_t *json, size_t flags);
void json_write_report(FILE *out, json_t *report);
/* A part of a report as json_write_report would write it, from the first column on. Takes it. */
char *json_report_part(json_t *part);

json_t *json_text(const char *text); /* valid UTF-8; null for NULL */
json_t *json_number(double value);   /* null if it is not finite */
json_t *json_count(uint64_t value);
json_t *json_status_of(const struct recording_run *run);
json_t *json_command_of(const struct recording_run *run);
json_t *json_program_of(const struct run_totals *totals);
json_t *json_host_of(const struct recording_run *run);
json_t *json_sampling_of(const struct run_totals *totals);
/* The recording's own cost, as shares of one core's time. */
json_t *json_overhead_of(const struct run_totals *totals);
json_t *json_warnings(const struct warnings *warnings);
