/* SPDX-License-Identifier: BSD-2-Clause */
/* system_calls - names of the system calls of this architecture. */
#pragma once

/* Such as "pread64"; NULL for unknown numbers. */
const char *system_call_name(int number);
