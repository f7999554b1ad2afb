/* SPDX-License-Identifier: BSD-2-Clause */
/* row_checks - whether the rows of a recording that was read fit together. */
#pragma once

#include "profile/recording.h"

/* What is wrong: a row names another that is not there, say; NULL: nothing. To be freed. */
char *row_checks_symptom(const struct recording *recording);
