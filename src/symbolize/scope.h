/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scope - which code may become a target.
 *
 * Patterns (globs): `GLOB` on source files, `bin:GLOB` on binaries, `func:GLOB` on functions; each
 * may include (--scope) or exclude (--exclude). Without any `bin:` include, the main executable is
 * in scope, and every binary where a `func:` includes; without any source include, every source but the system's headers and libraries
 * (/usr/include, /usr/lib) is. A glob without a slash is matched on the last path component too.
 */
#pragma once

#include <stdbool.h>

struct scope;

struct scope *scope_new(void);
void scope_free(struct scope *scope);
void scope_add(struct scope *scope, const char *pattern, bool include);
/* Does a `bin:` pattern's GLOB match this path? */
bool scope_glob_matches(const char *glob, const char *path);
bool scope_has_object(const struct scope *scope, const char *path, bool is_main);
/* Is code of this function from this source file in scope? Either may be NULL if unknown. */
bool scope_has_source(const struct scope *scope, const char *file, const char *function);
/* Is there any `func:` pattern? Without one, scope_has_source does not current_state at the function. */
bool scope_names_functions(const struct scope *scope);
/* Is there a pattern on source files that includes? Then code without lines is not in scope. */
bool scope_asks_sources(const struct scope *scope);
/* Is there a `func:` pattern that includes? Then nothing without a name is in scope. */
bool scope_asks_functions(const struct scope *scope);
