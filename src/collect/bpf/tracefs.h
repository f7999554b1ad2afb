/* SPDX-License-Identifier: BSD-2-Clause */
/* tracefs - numbers of tracepoints, also where tracefs is not mounted. */
#pragma once

#include "base/error.h"

/* The perf number of CATEGORY:NAME, or a negative errno with a sentence. Leaves no mount behind. */
int tracefs_tracepoint(const char *category, const char *name, struct error *error);
