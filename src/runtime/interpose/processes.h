/* SPDX-License-Identifier: BSD-2-Clause */
/* processes - exec and spawn, so that started programs are profiled, too. */
#pragma once

/* Keeps the library's environment variables for started programs. */
void processes_remember(void);
