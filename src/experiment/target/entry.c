/* SPDX-License-Identifier: BSD-2-Clause */
/* entry - by name. */
#include "experiment/target/entry.h"

#include <string.h>

static const char *const names[] = {"_start",
				    "__libc_start_main",
				    "__libc_start_main_impl",
				    "__libc_start_call_main",
				    "start_thread",
				    "clone",
				    "clone3",
				    "__clone",
				    "__clone3",
				    "GOMP_parallel",
				    "gomp_thread_start",
				    "__kmpc_fork_call"};

bool entry_is(const struct symbols_location *location)
{
	if (location->kind != TARGET_INCLUSIVE || !location->function)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(location->function, names[i]))
			return true;
	return false;
}
