/* SPDX-License-Identifier: BSD-2-Clause */
/* warnings - what weakens the answers of a causal profile. */
#pragma once

#include "analyze/causal/causal.h"
#include "report/warnings.h"

/* The program, or the cores, changed their speed for a while; NULL: they did not. To be freed. */
char *causal_unsteadiness(const struct causal *causal);
/* Requests stopped coming long before the end of the last run; NULL: they did not. To be freed. */
char *causal_load_end(const struct recording *recording);
/* The caller releases them. */
struct warnings causal_warnings(const struct recording *recording, const struct causal *causal);
