/* SPDX-License-Identifier: BSD-2-Clause */
/* machine_name - the processor that a recording was made on. */
#pragma once

/* "AMD EPYC 7B13, 2 cores"; without its model where /proc/cpuinfo has none. The caller frees it. */
char *machine_name(void);
