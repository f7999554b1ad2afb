/* SPDX-License-Identifier: BSD-2-Clause */
/* expected - the reports expected beside this file, and comparing with them. */
#pragma once

#include <stdbool.h>

/* The root of the source. */
const char *expected_source_root(void);
/* Compares with NAME.FORMAT, and says where it differs; with GOLDEN_RENEW set it writes it anew. */
bool expected_equals(const char *name, const char *format, const char *actual);
