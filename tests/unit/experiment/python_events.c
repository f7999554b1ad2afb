/* SPDX-License-Identifier: BSD-2-Clause */
/* python_events - texts of code objects, and events that are cut or wrong. */
#include "check.h"

#include "experiment/target/python_events.h"
#include "symbolize/scope.h"

#include <string.h>

static struct wire_python_code event_of(const void *name, size_t bytes, unsigned width)
{
	struct wire_python_code code = {.number = 1,
					.bytes = 4,
					.first_line = 1,
					.file_bytes = 7,
					.file_width = 1,
					.name_bytes = (uint16_t)bytes,
					.name_width = (uint8_t)width};

	memcpy(code.file, "/a/b.py", 7);
	memcpy(code.name, name, bytes);
	return code;
}

static bool has_name(const struct wire_python_code *code, const char *name)
{
	struct scope *scope = scope_new();
	struct symbols *symbols = symbols_new(TARGET_LINE, scope);

	python_events_on_code(symbols, code);
	bool is_equal = !strcmp(symbols_function_at(symbols, symbols_python_object(symbols),
						    1u << SYMBOLS_PYTHON_SHIFT),
				name);
	symbols_free(symbols);
	scope_free(scope);
	return is_equal;
}

TEST("characters of one, two and four bytes become UTF-8")
{
	const uint8_t latin[] = {'g', 0xe9};
	const uint16_t wide[] = {'x', 0x03c0, 0x4e2d};
	const uint32_t widest[] = {'x', 0x1d4d0};
	struct wire_python_code one = event_of(latin, sizeof(latin), 1);
	struct wire_python_code two = event_of(wide, sizeof(wide), 2);
	struct wire_python_code four = event_of(widest, sizeof(widest), 4);

	CHECK(has_name(&one, "b.g\xc3\xa9"));
	CHECK(has_name(&two, "b.x\xcf\x80\xe4\xb8\xad"));
	CHECK(has_name(&four, "b.x\xf0\x9d\x93\x90"));
}

TEST("an event that is cut, or tells more than it holds, is refused")
{
	struct wire_python_code code = event_of("f", 1, 1);
	size_t head = offsetof(struct wire_python_code, lines);

	CHECK(python_events_are_whole(&code, head));
	CHECK(!python_events_are_whole(&code, head - 1));
	code.lines_bytes = 4;
	CHECK(python_events_are_whole(&code, head + 4));
	CHECK(!python_events_are_whole(&code, head + 3));
	code.name_bytes = WIRE_PYTHON_NAME_BYTES + 1;
	CHECK(!python_events_are_whole(&code, head + 4));
	code.name_bytes = 1;
	code.file_width = 3;
	CHECK(!python_events_are_whole(&code, head + 4));
}
