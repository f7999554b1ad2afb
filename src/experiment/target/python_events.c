/* SPDX-License-Identifier: BSD-2-Clause */
/* python_events - converts the texts of code objects, and layouts. */
#include "experiment/target/python_events.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static size_t put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | (c >> 18 & 7));
	to[1] = (char)(0x80 | (c >> 12 & 0x3f));
	to[2] = (char)(0x80 | (c >> 6 & 0x3f));
	to[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* Characters of 1, 2 or 4 bytes, as the interpreter keeps them. */
static char *text_of(const uint8_t *from, size_t bytes, unsigned width)
{
	char *text = memory_new(4 * bytes + 1, 1);
	size_t length = 0;

	for (size_t i = 0; width && i + width <= bytes; i += width) {
		uint32_t character = 0;
		memcpy(&character, from + i, width);
		length += put_utf8(text + length, character);
	}
	text[length] = 0;
	return text;
}

static bool is_width(unsigned width)
{
	return width == 1 || width == 2 || width == 4;
}

bool python_events_are_whole(const struct wire_python_code *code, size_t bytes)
{
	size_t head = offsetof(struct wire_python_code, lines);

	return bytes >= head && code->lines_bytes <= bytes - head &&
	       code->lines_bytes <= sizeof(code->lines) && is_width(code->file_width) &&
	       is_width(code->name_width) && code->file_bytes <= sizeof(code->file) &&
	       code->name_bytes <= sizeof(code->name);
}

void python_events_on_code(struct symbols *symbols, const struct wire_python_code *code)
{
	AUTO(text) char *file = text_of(code->file, code->file_bytes, code->file_width);
	AUTO(text) char *name = text_of(code->name, code->name_bytes, code->name_width);
	const struct symbols_python_code added = {
		.number = code->number,
		.file = file,
		.name = name,
		.first_line = code->first_line,
		.bytes = code->bytes,
		.lines = code->lines,
		.lines_bytes = code->lines_bytes,
	};

	symbols_add_python_code(symbols, &added);
}

struct wire_python python_events_layout(const struct symbols_python *found)
{
	const struct symbols_python_layout *layout = &found->layout;

	return (struct wire_python){
		.eval_start = found->eval_start,
		.eval_end = found->eval_end,
		.runtime = found->runtime,
		.code_type = found->code_type,
		.interpreters = layout->interpreters,
		.next_interpreter = layout->next_interpreter,
		.threads = layout->threads,
		.next_thread = layout->next_thread,
		.native_id = layout->native_id,
		.current = layout->current,
		.current_of_current = layout->current_of_current,
		.has_indirect_current = layout->has_indirect_current,
		.has_entry_flag = layout->has_entry_flag,
		.frame_code = layout->frame_code,
		.frame_previous = layout->frame_previous,
		.frame_instruction = layout->frame_instruction,
		.frame_entry = layout->frame_entry,
		.code_size = layout->code_size,
		.code_line = layout->code_line,
		.code_file = layout->code_file,
		.code_name = layout->code_name,
		.code_lines = layout->code_lines,
		.code_bytes = layout->code_bytes,
		.text_ascii = layout->text_ascii,
		.text_wide = layout->text_wide,
		.text_kind_shift = layout->text_kind_shift,
		.runtime_bytes = found->runtime_bytes,
	};
}
