/* SPDX-License-Identifier: BSD-2-Clause */
/* block_budget - a value that falls with each block. */
#include "experiment/block_budget.h"

#include <math.h>

#define BLOCK_FACTOR 0.7
#define WRAPPER_FACTOR 0.25
#define SHARPNESS 3 /* 1: in proportion; many: always the largest, with no chance for another */

double block_budget_weight(double value, double blocks, bool is_wrapper)
{
	return pow(value * pow(is_wrapper ? WRAPPER_FACTOR : BLOCK_FACTOR, blocks), SHARPNESS);
}
