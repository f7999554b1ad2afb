/* SPDX-License-Identifier: BSD-2-Clause */
/* entry - functions of libraries that start the code of a process, a thread or a parallel one. */
#pragma once

#include "symbolize/symbols.h"

bool entry_is(const struct symbols_location *location);
