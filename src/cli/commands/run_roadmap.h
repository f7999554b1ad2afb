/* SPDX-License-Identifier: BSD-2-Clause */
/* run_roadmap - `lever run --roadmap`: a run for each step, with the steps before it assumed. */
#pragma once

#include "experiment/session/session.h"

/* As session_run, `steps` times into one profile; fewer if no further change gains for sure. */
void run_roadmap(const struct session_options *options, unsigned steps,
		 const struct driver_options *driver, struct driver_result *result,
		 struct error *error);
