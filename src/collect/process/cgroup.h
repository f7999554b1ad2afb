/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cgroup - the processes of a control group and of those below it.
 */
#pragma once

#include "base/error.h"

#include <sys/types.h>

/* `path` is below /sys/fs/cgroup, with or without that. Calls `visit` for each process. */
int cgroup_each(const char *path, void (*visit)(void *context, pid_t pid), void *context,
		struct error *error);
