/* SPDX-License-Identifier: BSD-2-Clause */
/* scope - globs by kind, matched with fnmatch; a star also matches slashes. */
#include "symbolize/scope.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/path.h"
#include "symbolize/language/demangle.h"

#include <fnmatch.h>
#include <string.h>

enum pattern_kind { PATTERN_SOURCE, PATTERN_BINARY, PATTERN_FUNCTION, PATTERN_KINDS };

struct pattern {
	enum pattern_kind kind;
	bool include;
	char *glob;
};

struct scope {
	ARRAY(struct pattern) patterns;
	bool has_include[PATTERN_KINDS];
	bool names_functions;
};

/* Headers and libraries of C and C++, clang, Rust (as built, as installed, Debian's). */
static const char *const system_sources[] = {
	"/usr/include/*",
	"/usr/lib/*",
	"/usr/lib32/*",
	"/usr/libx32/*",
	"/usr/lib64/*",
	"/rustc/*",
	"*/lib/rustlib/src/rust/*",
	"/usr/src/rustc-*/library/*",
	/* Code of their macros belongs to the line that uses the macro. */
	"*/lever.h",
	"*/coz.h",
};

bool scope_glob_matches(const char *glob, const char *path)
{
	if (fnmatch(glob, path, 0) == 0)
		return true;
	if (!strchr(glob, '/'))
		return fnmatch(glob, path_base(path), 0) == 0;
	if (glob[0] == '/')
		return false;
	/* "src/x.c" matches below any directory. */
	while ((path = strchr(path, '/'))) {
		if (fnmatch(glob, ++path, 0) == 0)
			return true;
	}
	return false;
}

static bool scope_matches(const struct scope *scope, enum pattern_kind kind, const char *name,
			  bool include)
{
	for (size_t i = 0; name && i < scope->patterns.count; i++) {
		const struct pattern *pattern = &scope->patterns.items[i];
		if (pattern->kind != kind || pattern->include != include)
			continue;
		if (kind == PATTERN_FUNCTION ? demangle_matches_glob(name, pattern->glob) :
					       scope_glob_matches(pattern->glob, name))
			return true;
	}
	return false;
}

static bool is_system_source(const char *file)
{
	for (size_t i = 0; i < sizeof(system_sources) / sizeof(*system_sources); i++) {
		if (fnmatch(system_sources[i], file, 0) == 0)
			return true;
	}
	return false;
}

struct scope *scope_new(void)
{
	return memory_new(1, sizeof(struct scope));
}

void scope_free(struct scope *scope)
{
	if (!scope)
		return;
	for (size_t i = 0; i < scope->patterns.count; i++)
		free(scope->patterns.items[i].glob);
	array_free(&scope->patterns);
	free(scope);
}

void scope_add(struct scope *scope, const char *pattern, bool include)
{
	struct pattern *added = array_add(&scope->patterns);

	added->kind = PATTERN_SOURCE;
	if (strncmp(pattern, "bin:", 4) == 0)
		added->kind = PATTERN_BINARY;
	else if (strncmp(pattern, "func:", 5) == 0)
		added->kind = PATTERN_FUNCTION;
	const char *glob =
		pattern + (added->kind == PATTERN_SOURCE ? 0 : strcspn(pattern, ":") + 1);
	while (glob[0] == '.' && glob[1] == '/')
		glob += 2;
	added->glob = text_copy(glob);
	added->include = include;
	scope->has_include[added->kind] |= include;
	scope->names_functions |= added->kind == PATTERN_FUNCTION;
}

bool scope_has_object(const struct scope *scope, const char *path, bool is_main)
{
	if (scope_matches(scope, PATTERN_BINARY, path, false))
		return false;
	if (!scope->has_include[PATTERN_BINARY])
		return is_main || scope->has_include[PATTERN_FUNCTION];
	return scope_matches(scope, PATTERN_BINARY, path, true);
}

bool scope_has_source(const struct scope *scope, const char *file, const char *function)
{
	if (scope_matches(scope, PATTERN_SOURCE, file, false) ||
	    scope_matches(scope, PATTERN_FUNCTION, function, false))
		return false;
	if (scope->has_include[PATTERN_FUNCTION] &&
	    !scope_matches(scope, PATTERN_FUNCTION, function, true))
		return false;
	if (scope->has_include[PATTERN_SOURCE])
		return scope_matches(scope, PATTERN_SOURCE, file, true);
	/* A function that is included by name is in scope wherever its source is. */
	return scope->has_include[PATTERN_FUNCTION] || !file || !is_system_source(file);
}

static bool is_library_script(const char *file)
{
	return file[0] == '<' ? !strncmp(file, "<frozen ", 8) :
				!fnmatch("*/lib/python[0-9]*/*", file, 0);
}

bool scope_has_script(const struct scope *scope, const char *file, const char *function)
{
	if (scope_matches(scope, PATTERN_BINARY, file, false) ||
	    scope_matches(scope, PATTERN_SOURCE, file, false) ||
	    scope_matches(scope, PATTERN_FUNCTION, function, false))
		return false;
	for (enum pattern_kind kind = 0; kind < PATTERN_KINDS; kind++)
		if (scope->has_include[kind] &&
		    !scope_matches(scope, kind, kind == PATTERN_FUNCTION ? function : file, true))
			return false;
	bool is_asked = scope->has_include[PATTERN_SOURCE] || scope->has_include[PATTERN_BINARY] ||
			scope->has_include[PATTERN_FUNCTION];
	return is_asked || !is_library_script(file);
}

bool scope_is_default(const struct scope *scope)
{
	return !scope->patterns.count;
}

bool scope_names_functions(const struct scope *scope)
{
	return scope->names_functions;
}

bool scope_asks_functions(const struct scope *scope)
{
	return scope->has_include[PATTERN_FUNCTION];
}

bool scope_asks_sources(const struct scope *scope)
{
	return scope->has_include[PATTERN_SOURCE];
}

bool scope_asks_binaries(const struct scope *scope)
{
	return scope->has_include[PATTERN_BINARY];
}
