/* SPDX-License-Identifier: BSD-2-Clause */
/* system_calls - the table, which the build makes from the system's headers. */
#include "symbolize/kernel/system_calls.h"

#include <stddef.h>

static const char *const names[] = {
#include "system_calls.inc"
};

int system_call_count(void)
{
	return (int)(sizeof(names) / sizeof(*names));
}

const char *system_call_name(int number)
{
	if (number < 0 || number >= system_call_count())
		return NULL;
	return names[number];
}
