/* SPDX-License-Identifier: BSD-2-Clause */
/* system_calls - the table, which the build makes from the system's headers. */
#include "symbolize/kernel/system_calls.h"

#include <stddef.h>

static const char *const names[] = {
#include "system_calls.inc"
};

const char *system_call_name(int number)
{
	if (number < 0 || (size_t)number >= sizeof(names) / sizeof(*names))
		return NULL;
	return names[number];
}
