/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * prometheus - gauges in Prometheus' text format, version 0.0.4
 * (prometheus.io/docs/instrumenting/exposition_formats).
 */
#pragma once

#include "report/run_totals.h"

#include <stdio.h>

/* The lines before a gauge's values. */
void prometheus_begin(FILE *out, const char *name, const char *help);
/* `labels`: names and values in turn, NULL-ended; a value that is NULL leaves its label out. */
void prometheus_put(FILE *out, const char *name, const char *const *labels, double value);
/* When the runs began and ended, what was lost, and what the recording costs. */
void prometheus_put_run(FILE *out, const struct run_totals *totals);
