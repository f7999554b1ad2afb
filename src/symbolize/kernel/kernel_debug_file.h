/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_debug_file - finds the kernel's vmlinux with debug information, by release or build id.
 *
 * libdwfl finds the debug files of user binaries.
 */
#pragma once

#include <stdbool.h>

/* The running kernel's build id in hex, "" if unknown. The caller frees it. */
char *kernel_build_id(void);
/*
 * The vmlinux of the running kernel in the directories of distributions and in
 * /usr/lib/debug/.build-id; NULL if there is none. The caller frees it. symbols_add_kernel checks
 * that it is of the same build.
 */
char *kernel_debug_file(void);
/* Are servers configured (DEBUGINFOD_URLS), and is their library installed? */
bool kernel_debug_file_may_fetch(void);
/* Fetches it into the user's cache, which may take minutes. NULL if no server has it. */
char *kernel_debug_file_fetch(void);
