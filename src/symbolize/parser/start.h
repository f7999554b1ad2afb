/* SPDX-License-Identifier: BSD-2-Clause */
/* start - symbols whose files are read by a process without rights. */
#pragma once

#include "symbolize/symbols.h"

#include <sys/types.h>

/*
 * As symbols_new, for the engine: all files are read in another process, which may end at any time
 * (docs/security.md). Then what was not asked for before is told by addresses. Where the kernel
 * does not take all rights from it, this process reads the files. The scope does not change any
 * more.
 */
struct symbols *symbols_start(enum target_kind granularity, const struct scope *scope);
/*
 * The same for names of addresses only: a location has no ranges, and there are none but those of
 * addresses that were asked for. With what starts the processes by which symbols_renew replaces
 * the first one.
 */
struct symbols *symbols_start_renewable(enum target_kind granularity, const struct scope *scope);
/*
 * Replaces that process by a new one, which reads what it is asked for again. Locations end, and
 * texts of names; objects keep their numbers. Only for what asks names of addresses, and keeps
 * none. False: it goes on as before.
 */
bool symbols_renew(struct symbols *symbols);
/* Where it has become large, or has ended: the latter not more often than each 10 s. */
bool symbols_renew_if_needed(struct symbols *symbols);
/* How that process ended, as a warning; NULL: it did not. */
const char *symbols_warning(const struct symbols *symbols);
/* Its number; 0: there is none. */
pid_t symbols_process(const struct symbols *symbols);
