/* SPDX-License-Identifier: BSD-2-Clause */
/* system_calls - what the system calls of this architecture are called. */
#pragma once

/* "pread64"; NULL if there is none with this number. */
const char *system_call_name(int number);
