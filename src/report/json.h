/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json_parts - what JSON reports of all kinds have in common. The caller owns what it gets.
 */
#pragma once

#include "analyze/causal/causal.h"
#include "report/run_totals.h"
#include "report/warnings.h"

#include <jansson.h>

/* More digits than any of our fractions has; few enough that machines agree on them. */
#define JSON_DIGITS 6

json_t *json_text(const char *text); /* valid UTF-8; null for NULL */
json_t *json_number(double value);   /* null if it is not finite */
json_t *json_count(uint64_t value);
json_t *json_point_of(const struct effect_point *point);
json_t *json_status_of(const struct recording_run *run);
json_t *json_command_of(const struct recording_run *run);
json_t *json_program_of(const struct run_totals *totals);
json_t *json_host_of(const struct recording_run *run);
json_t *json_sampling_of(const struct run_totals *totals);
/* What recording took, as shares of one core's time. */
json_t *json_overhead_of(const struct run_totals *totals);
json_t *json_warnings(const struct warnings *warnings);
