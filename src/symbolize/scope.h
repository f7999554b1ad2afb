/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scope - which code may become a target.
 *
 * Patterns: `GLOB` on source files, `bin:GLOB` on binaries, `func:GLOB` on functions. Each
 * includes (--scope) or excludes (--exclude). Without an including `bin:`, the main executable is
 * in scope, or all binaries if there is an including `func:`. Without an including `GLOB`, all
 * sources are in scope but the system's headers and libraries (/usr/include, /usr/lib). A glob
 * without a slash is also matched on the last path component.
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
/*
 * Is a function of a script in scope? A `bin:` pattern matches the script's path as if that were a
 * binary. Without patterns, the interpreter's own library and installed packages are not.
 */
bool scope_has_script(const struct scope *scope, const char *file, const char *function);
/* Is there a `func:` pattern? Without one, scope_has_source ignores the function. */
bool scope_names_functions(const struct scope *scope);
/* Is there no pattern at all? */
bool scope_is_default(const struct scope *scope);
/* Is there an including `GLOB`? Then code without lines is not in scope. */
bool scope_asks_sources(const struct scope *scope);
/* Is there an including `bin:`? */
bool scope_asks_binaries(const struct scope *scope);
/* Is there an including `func:`? Then code without a name is not in scope. */
bool scope_asks_functions(const struct scope *scope);
