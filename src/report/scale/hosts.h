/* SPDX-License-Identifier: BSD-2-Clause */
/* hosts - a job's hosts: how parallel the program is on each, and which of them limits the job. */
#pragma once

#include "analyze/scale/scale.h"
#include "report/json.h"
#include "report/report.h"

#include <stdio.h>

/* Nothing, if there is one host. */
void scale_hosts_print(FILE *out, const struct scale *scale, const struct report_options *options);
/* A row for each host and number of cores. */
void scale_hosts_csv(FILE *out, const struct scale *scale);
json_t *scale_hosts_json(const struct scale *scale);
