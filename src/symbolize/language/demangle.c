/* SPDX-License-Identifier: BSD-2-Clause */
/* demangle - demangles by the table of languages, and compares names with a user's. */
#include "symbolize/language/demangle.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "symbolize/language/language.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

size_t demangle_stem(const char *name)
{
	static const char *const marks[] = {"cold",     "part", "constprop", "isra",
					    "lto_priv", "llvm", "localalias"};
	const char *first = name[0] ? strchr(name + 1, '.') : NULL;

	for (const char *at = first; at; at = strchr(at + 1, '.')) {
		for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
			size_t length = strlen(marks[i]);
			if (strncmp(at + 1, marks[i], length) == 0 &&
			    (at[1 + length] == '.' || at[1 + length] == '\0'))
				return (size_t)(at - name);
		}
	}
	return strlen(name);
}

char *demangle(const char *name)
{
	AUTO(text) char *stem = text_copy(name);

	stem[demangle_stem(name)] = '\0';
	char *text = language_demangle(stem);
	return text ? text : take(&stem);
}

/* Where the parameter list starts: at the last bracket pair of nesting 0. */
static size_t length_without_parameters(const char *name)
{
	size_t length = strlen(name);
	const char *close = strrchr(name, ')');
	if (!close || close == name)
		return length;
	const char *rest = close + 1;
	if (*rest && strncmp(rest, " const", 6) != 0 && *rest != ' ' && *rest != '&')
		return length; /* "operator()<int>", "{lambda(int)#1}::f" */
	int depth = 0;
	for (const char *at = close; at >= name; at--) {
		depth += (*at == ')') - (*at == '(');
		if (depth == 0) {
			bool is_call = at - name >= 8 && memcmp(at - 8, "operator", 8) == 0;
			return is_call || at == name ? length : (size_t)(at - name);
		}
	}
	return length;
}

/* Drops template arguments (not of operators), in place. */
static void drop_templates(char *name)
{
	char *to = name;
	int depth = 0;

	if (strstr(name, "operator"))
		return;
	for (const char *from = name; *from; from++) {
		if (*from == '<' && from != name)
			depth++;
		if (depth == 0)
			*to++ = *from;
		else if (*from == '>' && from[-1] != '-')
			depth--;
	}
	*to = '\0';
}

/* A demangled template function starts with its return type: "int sum<int>(int)". */
static const char *without_return_type(const char *name)
{
	const char *start = name;
	int depth = 0;

	if (strstr(name, "operator") || name[0] == '<')
		return name;
	for (const char *at = name; *at; at++) {
		depth += (*at == '<' || *at == '(' || *at == '{') -
			 (*at == '>' || *at == ')' || *at == '}');
		if (*at == ' ' && depth == 0 && strncmp(at, " const", 6) != 0)
			start = at + 1;
	}
	return *start ? start : name;
}

char *demangle_plain(const char *name)
{
	AUTO(text) char *plain = text_copy(name);

	plain[length_without_parameters(plain)] = '\0';
	drop_templates(plain);
	return text_copy(without_return_type(plain));
}

static bool is_tail(const char *name, const char *wanted)
{
	size_t length = strlen(name), size = strlen(wanted);
	return length > size + 2 && strcmp(name + length - size, wanted) == 0 &&
	       memcmp(name + length - size - 2, "::", 2) == 0;
}

char *demangle_base(const char *name)
{
	char *plain = text_copy(name);

	plain[length_without_parameters(plain)] = '\0';
	drop_templates(plain);
	const char *last = without_return_type(plain);
	char *lambda = strstr(last, "::" LAMBDA_BY_LINE); /* the function around it is the base */
	if (lambda)
		*lambda = '\0';
	for (const char *at = strstr(last, "::"); at; at = strstr(at + 2, "::"))
		last = at + 2;
	memmove(plain, last, strlen(last) + 1);
	return plain;
}

static enum demangle_fit fit_of_itself(const char *name, const char *wanted)
{
	if (strcmp(name, wanted) == 0)
		return FIT_EXACT;
	if (!strpbrk(name, "(<:"))
		return FIT_NONE;
	AUTO(text) char *plain = text_copy(name);
	plain[length_without_parameters(plain)] = '\0';
	const char *start = without_return_type(plain);
	if (strcmp(start, wanted) == 0 || strcmp(plain, wanted) == 0 ||
	    strcmp(without_return_type(name), wanted) == 0)
		return FIT_NO_PARAMETERS;
	AUTO(text) char *bare = text_copy(start);
	drop_templates(bare);
	if (strcmp(bare, wanted) == 0)
		return FIT_NO_TEMPLATE;
	if (is_tail(start, wanted) || is_tail(name, wanted))
		return strstr(wanted, "::") ? FIT_TAIL : FIT_BASE;
	if (is_tail(bare, wanted))
		return strstr(wanted, "::") ? FIT_TAIL : FIT_BASE;
	return FIT_NONE;
}

/* Length of the name of the function whose first closure this is; 0: it is none. */
static size_t length_without_closure(const char *name)
{
	static const char *const closures[] = {"::{{closure}}", "::{closure#0}"};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(closures) / sizeof(*closures); i++) {
		size_t size = strlen(closures[i]);
		if (length > size && !strcmp(name + length - size, closures[i]))
			return length - size;
	}
	return 0;
}

enum demangle_fit demangle_fits(const char *name, const char *wanted)
{
	enum demangle_fit fit = fit_of_itself(name, wanted);
	size_t length = fit == FIT_NONE ? length_without_closure(name) : 0;

	if (!length)
		return fit;
	AUTO(text) char *outer = text_copy(name);
	outer[length] = '\0';
	return fit_of_itself(outer, wanted) != FIT_NONE ? FIT_ASYNC : FIT_NONE;
}

bool demangle_matches_glob(const char *name, const char *glob)
{
	if (!fnmatch(glob, name, 0))
		return true;
	if (!strpbrk(name, "(<:"))
		return false;
	AUTO(text) char *plain = text_copy(name);
	plain[length_without_parameters(plain)] = '\0';
	const char *start = without_return_type(plain);
	if (!fnmatch(glob, plain, 0) || !fnmatch(glob, start, 0) ||
	    !fnmatch(glob, without_return_type(name), 0))
		return true;
	AUTO(text) char *bare = text_copy(start);
	drop_templates(bare);
	AUTO(text) char *base = demangle_base(name);
	return !fnmatch(glob, bare, 0) || !fnmatch(glob, base, 0);
}
