/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libraries - which shared libraries an executable will load at its start.
 *
 * The executable's own loader lists them (as ldd does), so search paths and the environment count.
 * No code of the executable runs. Libraries that it loads later are unknown.
 */
#pragma once

/* Calls `found` with each resolved path; a static executable or a script has none. */
void libraries_each(const char *executable, void (*found)(void *context, const char *path),
		    void *context);
