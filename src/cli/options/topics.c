/* SPDX-License-Identifier: BSD-2-Clause */
/* topics - the pages as text. */
#include "cli/options/topics.h"

#include "topics.inc"
