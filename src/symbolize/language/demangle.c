/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle - libiberty's demanglers behind one call.
 *
 * Of libiberty only cp-demangle.o and rust-demangle.o are linked (through their callback forms).
 * Both carry the exception that allows to link them into anything ("unlimited permission to link
 * the compiled version of this file into combinations with other programs, and to distribute
 * those combinations without any restriction"). Neither allocates; both bound their recursion.
 */
#include "symbolize/language/demangle.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <string.h>

#define DEMANGLED_MOST_BYTES 65536 /* of one name; hostile ones grow without end */

struct demangled {
	char *text;
	size_t length, capacity;
	bool overflowed;
};

static void demangled_append(const char *part, size_t length, void *context)
{
	struct demangled *result = context;

	if (result->length + length >= DEMANGLED_MOST_BYTES) {
		result->overflowed = true;
		return;
	}
	if (result->length + length >= result->capacity) {
		result->capacity = (result->length + length) * 2 + 64;
		result->text = memory_resize(result->text, result->capacity, 1);
	}
	memcpy(result->text + result->length, part, length);
	result->length += length;
	result->text[result->length] = '\0';
}

static char *demangled_text(const char *name)
{
	struct demangled result = {0};
	int options = DMGL_PARAMS | DMGL_ANSI;
	int understood = rust_demangle_callback(name, options, demangled_append, &result);

	if (!understood) {
		result.length = 0;
		understood = cplus_demangle_v3_callback(name, options, demangled_append, &result);
	}
	if (understood && result.text && !result.overflowed)
		return result.text;
	free(result.text);
	return NULL;
}

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
	char *text = stem[0] == '_' ? demangled_text(stem) : NULL;
	return text ? text : take(&stem);
}

/* Where the parameter list starts: the bracket that closes last, opened at nesting 0. */
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

/* Drops what stands between < and > (not of operators); the result is no longer than the name. */
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
	for (const char *at = strstr(last, "::"); at; at = strstr(at + 2, "::"))
		last = at + 2;
	memmove(plain, last, strlen(last) + 1);
	return plain;
}

enum demangle_fit demangle_fits(const char *name, const char *wanted)
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
