/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * debug_fetch - debug files from servers (debuginfod, of elfutils): only if DEBUGINFOD_URLS names
 * some, by the library that is loaded then, and with progress told to whoever asked for it.
 */
#pragma once

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Of one file: bytes so far, and of the whole; 0: unknown. No name: no server answers in time, and
 * nothing more is asked for. True: the user wants no more of it.
 */
typedef bool debug_fetch_notify(void *context, const char *name, uint64_t bytes, uint64_t whole);

/* For all fetches from now on. */
void debug_fetch_set_notify(debug_fetch_notify *notify, void *context);
bool debug_fetch_is_possible(void);
/* libdwfl is about to fetch the debug file of `name`, which is borrowed until the next call. */
void debug_fetch_watch(Dwfl *dwfl, const char *name);
/* By build id, in hex. The path in the library's cache, to be freed; NULL: there is none. */
char *debug_fetch_by_build_id(const char *id, const char *name);
