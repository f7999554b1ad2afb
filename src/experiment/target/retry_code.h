/* SPDX-License-Identifier: BSD-2-Clause */
/* retry_code - whether code is in a loop that retries (symbolize/retry_code.h). */
#pragma once

#include "symbolize/symbols.h"

#include <stdbool.h>
#include <stdint.h>

struct retry_code;

struct retry_code *retry_code_new(struct symbols *symbols);
void retry_code_free(struct retry_code *code);
/* An address of an object of symbols. Each function is looked at once. */
bool retry_code_has(struct retry_code *code, uint32_t object, uint64_t offset);
