/* SPDX-License-Identifier: BSD-2-Clause */
/* warnings - what weakens the figures of samples. */
#pragma once

#include "report/warnings.h"

/* The caller releases them. */
struct warnings samples_warnings(const struct recording *recording);
