/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libraries - which shared libraries an executable will load at its start.
 *
 * Asked of the executable's own loader (as ldd does), so search paths and the environment count as
 * they will at the start. Nothing of the executable itself runs. What it loads later is not known.
 */
#pragma once

/* Calls `found` with the resolved path of each; of a static executable or a script: none. */
void libraries_each(const char *executable, void (*found)(void *context, const char *path),
		    void *context);
