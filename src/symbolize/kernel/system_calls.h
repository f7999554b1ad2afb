/* SPDX-License-Identifier: BSD-2-Clause */
/* system_calls - names of the system calls of this architecture. */
#pragma once

#define SYSTEM_CALL_PREFIX "syscall:" /* of such a target's name */

/* Above the highest number. */
int system_call_count(void);
/* Such as "pread64"; NULL for unknown numbers. */
const char *system_call_name(int number);
