/* SPDX-License-Identifier: BSD-2-Clause */
/* display - makes names safe to show, and numbers readable. */
#include "report/display.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define MINUS "\xe2\x88\x92"    /* U+2212 */
#define ELLIPSIS "\xe2\x80\xa6" /* U+2026 */

/* Control characters, and characters that change the writing direction. */
static bool is_terminal_control(uint32_t character)
{
	return character < 0x20 || (character >= 0x7f && character < 0xa0) ||
	       (character >= 0x2028 && character <= 0x202e) ||
	       (character >= 0x2066 && character <= 0x2069);
}

static char *clean(const char *text, const char *kept)
{
	text = text ? text : "?";
	char *result = memory_new(strlen(text) * (sizeof(UTF8_REPLACEMENT) - 1) + 1, 1);
	char *end = result;
	while (*text) {
		uint32_t character = 0;
		size_t length = utf8_decode(text, &character);
		bool is_kept = strchr(kept, *text) && (*text != '\r' || text[1] == '\n');
		bool keep = length && (!is_terminal_control(character) || is_kept);
		end = keep ? mempcpy(end, text, length) : stpcpy(end, UTF8_REPLACEMENT);
		text += length ? length : 1;
	}
	return result;
}

char *display_clean(const char *text)
{
	return clean(text, "");
}

char *display_clean_lines(const char *text)
{
	return clean(text, "\r\n\t");
}

static bool begins_character(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}

size_t display_width(const char *clean)
{
	size_t width = 0;
	for (; *clean; clean++)
		width += begins_character(*clean);
	return width;
}

/* The text from its character number `index` on. */
static const char *character_at(const char *clean, size_t index)
{
	for (; *clean; clean++) {
		if (begins_character(*clean) && !index--)
			return clean;
	}
	return clean;
}

char *display_fit(const char *clean, size_t columns)
{
	if (display_width(clean) <= columns || !columns)
		return text_copy(columns ? clean : "");
	return text_format("%.*s" ELLIPSIS, (int)(character_at(clean, columns - 1) - clean), clean);
}

char *display_fit_end(const char *clean, size_t columns)
{
	size_t width = display_width(clean);
	if (width <= columns || !columns)
		return text_copy(columns ? clean : "");
	return text_format(ELLIPSIS "%s", character_at(clean, width - columns + 1));
}

/* Quoted for a shell. */
static char *quote(const char *argument)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";
	if (*argument && !argument[strspn(argument, plain)])
		return text_copy(argument);
	AUTO(text) char *inner = memory_new(strlen(argument) * 4 + 1, 1);
	char *end = inner;
	for (; *argument; argument++) {
		if (*argument == '\'')
			end = stpcpy(end, "'\\''");
		else
			*end++ = *argument;
	}
	return text_format("'%s'", inner);
}

char *display_argument(const char *word)
{
	AUTO(text) char *quoted = quote(word);
	return display_clean(quoted);
}

char *display_command(const char *json)
{
	json_t *arguments = json ? json_loads(json, 0, NULL) : NULL, *argument;
	size_t i;
	AUTO(text) char *line = text_copy("");
	json_array_foreach(arguments, i, argument)
	{
		AUTO(text) char *before = line;
		AUTO(text)
		char *quoted = quote(json_is_string(argument) ? json_string_value(argument) : "?");
		line = text_format("%s%s%s", before, i ? " " : "", quoted);
	}
	json_decref(arguments);
	return display_clean(*line ? line : json);
}

char *display_count(uint64_t count)
{
	char digits[24], grouped[32], *end = grouped;
	int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*end++ = ',';
		*end++ = digits[i];
	}
	*end = 0;
	return text_copy(grouped);
}

char *display_duration(double duration_ns)
{
	if (duration_ns < 1e3)
		return text_format("%.0f ns", duration_ns);
	if (duration_ns < 1e6)
		return text_format("%.3g \xc2\xb5s", duration_ns / 1e3);
	if (duration_ns < 1e9)
		return text_format("%.3g ms", duration_ns / 1e6);
	double seconds = duration_ns / 1e9;
	if (seconds < 120)
		return text_format("%.1f s", seconds);
	if (seconds < 7200)
		return text_format("%.0f min %.0f s", floor(seconds / 60),
				   floor(fmod(seconds, 60)));
	return text_format("%.0f h %.0f min", floor(seconds / 3600),
			   floor(fmod(seconds, 3600) / 60));
}

char *display_rate(double per_second)
{
	if (per_second >= 1000)
		return display_count((uint64_t)(per_second + 0.5));
	return text_format("%.*f", per_second >= 10 ? 1 : 3, per_second);
}

char *display_gain(double fraction)
{
	AUTO(text) char *number = text_format("%.1f", fabs(fraction) * 100);
	bool is_zero = !strcmp(number, "0.0");
	return text_format("%s%s %%", fraction < 0 && !is_zero ? MINUS : "+", number);
}

char *display_minus(char *text)
{
	char *result = memory_new(strlen(text) * (sizeof(MINUS) - 1) + 1, 1), *end = result;

	for (const char *at = text; *at; at++) {
		bool is_number = at[0] == '-' && at[1] >= '0' && at[1] <= '9';
		bool begins = at == text || at[-1] == ' ' || at[-1] == '(';
		end = is_number && begins ? stpcpy(end, MINUS) : mempcpy(end, at, 1);
	}
	free(text);
	return result;
}
