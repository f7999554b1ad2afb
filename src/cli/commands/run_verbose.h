/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run_verbose - what `lever run --verbose` prints on stderr: calibration, choices, windows, warm-
 * up.
 */
#pragma once

#include "cli/output/live_line.h"
#include "experiment/session/observer.h"

/* Prints a line for each event; `live` is borrowed. */
struct session_observer run_verbose_observer(struct live_line *live);
