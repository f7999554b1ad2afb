/* SPDX-License-Identifier: BSD-2-Clause */
/* browser - shows a page in the user's browser. */
#pragma once

#include "base/error.h"

/* By xdg-open, which is not waited for. Refuses under sudo, where the browser would be root's. */
int browser_open(const char *path, struct error *error);
