/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * executed_path - the name by which a process was started: /usr/bin/redis-server, where that is a
 * link to redis-check-rdb.
 */
#pragma once

#include <sys/types.h>

/* As execve got it, if that is still the process's file; else that file. NULL: the process is gone,
 * or a thread of the kernel. To be freed. */
char *process_executed_path(pid_t pid);
