/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * debug_file - where the kernel's debug information is: its vmlinux, by release or by build id.
 *
 * That of user binaries is found by libdwfl, in the same locations.
 */
#pragma once

#include <stdbool.h>

/* The running kernel's build id in hex, "" if it does not tell. Free it. */
char *kernel_build_id(void);
/*
 * The vmlinux of the running kernel, where distributions put it and below /usr/lib/debug/.build-id; to be
 * freed, NULL if there is none. May be of another build: symbols_add_kernel looks.
 */
char *kernel_debug_file(void);
/* Are there servers to be asked (DEBUGINFOD_URLS), and the library that does so? */
bool kernel_debug_file_may_fetch(void);
/* From them; this may take minutes, and the file stays in the user's cache. NULL if they have none. */
char *kernel_debug_file_fetch(void);
