/* SPDX-License-Identifier: BSD-2-Clause */
/* kept - the reports kept beside this file, and comparing with them. */
#pragma once

#include <stdbool.h>

/* The root of the source. */
const char *kept_source(void);
/* Compares with NAME.FORMAT, and says where it differs; with GOLDEN_RENEW set it writes it anew. */
bool kept_equals(const char *name, const char *format, const char *actual);
