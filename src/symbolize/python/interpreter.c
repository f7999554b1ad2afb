/* SPDX-License-Identifier: BSD-2-Clause */
/* interpreter - reads the version, four symbols, and the table of a CPython. */
#include "symbolize/python/interpreter.h"

#include "symbolize/object/object.h"

#include <string.h>

#define VERSION(major, minor) ((major) << 24 | (minor) << 16)
#define MINOR_MASK 0xffff0000u
#define COOKIE "xdebugpy"

/* The words of _Py_DebugOffsets that are used; all are 64 bits wide. */
enum offset_word {
	WORD_VERSION = 1,
	WORD_FREE_THREADED = 2,
	WORD_INTERPRETERS = 5,
	WORD_NEXT_INTERPRETER = 8,
	WORD_THREADS = 9,
	WORDS_OF_313 = 64,
};

static const struct symbols_python_layout layout_311 = {
	.interpreters = 40,
	.threads = 16,
	.next_thread = 8,
	.native_id = 160,
	.current = 56,
	.has_indirect_current = true,
	.current_of_current = 8,
	.has_entry_flag = true,
	.frame_code = 32,
	.frame_previous = 48,
	.frame_instruction = 56,
	.frame_entry = 68,
	.code_size = 16,
	.code_line = 72,
	.code_file = 112,
	.code_name = 128,
	.code_lines = 136,
	.code_bytes = 184,
	.text_ascii = 48,
	.text_wide = 72,
	.text_kind_shift = 2,
};

static const struct symbols_python_layout layout_312 = {
	.interpreters = 40,
	.threads = 72,
	.next_thread = 8,
	.native_id = 144,
	.current = 56,
	.has_indirect_current = true,
	.frame_previous = 8,
	.frame_instruction = 56,
	.frame_entry = 70,
	.code_size = 16,
	.code_line = 68,
	.code_file = 112,
	.code_name = 128,
	.code_lines = 136,
	.code_bytes = 192,
	.text_ascii = 40,
	.text_wide = 56,
	.text_kind_shift = 2,
};

/* What 3.13's own table does not tell. */
static const struct symbols_python_layout layout_313 = {
	.code_size = 16,
	.text_ascii = 40,
	.text_wide = 56,
	.text_kind_shift = 2,
};

struct dynamic_symbols {
	GElf_Sym eval, runtime, code_type, version;
	unsigned found;
};

static void note_symbol(struct dynamic_symbols *symbols, const char *name, const GElf_Sym *symbol)
{
	const struct {
		const char *name;
		GElf_Sym *symbol;
	} wanted[] = {{"_PyEval_EvalFrameDefault", &symbols->eval},
		      {"_PyRuntime", &symbols->runtime},
		      {"PyCode_Type", &symbols->code_type},
		      {"Py_Version", &symbols->version}};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		if (symbol->st_shndx != SHN_UNDEF && !strcmp(name, wanted[i].name)) {
			*wanted[i].symbol = *symbol;
			symbols->found |= 1u << i;
		}
}

#define FOUND_EVAL 1u
#define FOUND_RUNTIME 2u
#define FOUND_VERSION 8u
#define FOUND_ALL 15u

static void read_dynamic_symbols(const struct object *object, struct dynamic_symbols *symbols)
{
	GElf_Shdr header;
	Elf_Data *table = object_section(object->elf, ".dynsym", &header);
	size_t count = table && header.sh_entsize ? table->d_size / header.sh_entsize : 0;

	for (size_t i = 1; i < count && i < INT32_MAX; i++) {
		GElf_Sym symbol;
		if (!gelf_getsym(table, (int)i, &symbol))
			break;
		const char *name = elf_strptr(object->elf, header.sh_link, symbol.st_name);
		if (name)
			note_symbol(symbols, name, &symbol);
	}
}

/* The file's bytes of initialized data. */
static bool read_data(const struct object *object, uint64_t address, void *to, size_t bytes)
{
	size_t size = 0;
	const char *file = elf_rawfile(object->elf, &size);
	uint64_t offset;

	if (!file || !object_offset(object, address, &offset) || offset > size ||
	    bytes > size - offset)
		return false;
	memcpy(to, file + offset, bytes);
	return true;
}

/* False: another layout than expected. */
static bool read_own_table(const struct object *object, uint64_t runtime,
			   struct symbols_python_layout *layout)
{
	uint64_t words[WORDS_OF_313];
	const uint64_t *thread = &words[19], *frame = &words[28], *code = &words[34];

	if (!read_data(object, runtime, words, sizeof(words)) || memcmp(words, COOKIE, 8) != 0 ||
	    (words[WORD_VERSION] & MINOR_MASK) != VERSION(3, 13) || words[WORD_FREE_THREADED])
		return false;
	layout->interpreters = (uint32_t)words[WORD_INTERPRETERS];
	layout->next_interpreter = (uint32_t)words[WORD_NEXT_INTERPRETER];
	layout->threads = (uint32_t)words[WORD_THREADS];
	layout->next_thread = (uint32_t)thread[2];
	layout->current = (uint32_t)thread[4];
	layout->native_id = (uint32_t)thread[6];
	layout->frame_previous = (uint8_t)frame[1];
	layout->frame_code = (uint8_t)frame[2];
	layout->frame_instruction = (uint8_t)frame[3];
	layout->frame_entry = (uint8_t)frame[5];
	layout->code_file = (uint8_t)code[1];
	layout->code_name = (uint8_t)code[3];
	layout->code_lines = (uint8_t)code[4];
	layout->code_line = (uint8_t)code[5];
	layout->code_bytes = (uint8_t)code[9];
	return true;
}

static bool find_layout(const struct object *object, uint32_t version, uint64_t runtime,
			struct symbols_python_layout *layout)
{
	switch (version & MINOR_MASK) {
	case VERSION(3, 11):
		*layout = layout_311;
		return true;
	case VERSION(3, 12):
		*layout = layout_312;
		return true;
	case VERSION(3, 13):
		*layout = layout_313;
		return read_own_table(object, runtime, layout);
	default:
		return false;
	}
}

enum symbols_python_state python_interpreter_read(const struct object *object,
						  struct symbols_python *found)
{
	struct dynamic_symbols symbols = {0};
	uint64_t version = 0, eval_offset;

	*found = (struct symbols_python){0};
	if (!object->elf || object->shown.is_32_bit)
		return SYMBOLS_PYTHON_NONE;
	read_dynamic_symbols(object, &symbols);
	if (!(symbols.found & FOUND_RUNTIME) || !(symbols.found & FOUND_EVAL))
		return SYMBOLS_PYTHON_NONE;
	if (symbols.found & FOUND_VERSION &&
	    read_data(object, symbols.version.st_value, &version, sizeof(version)))
		found->version = (uint32_t)version;
	if (symbols.found != FOUND_ALL ||
	    !object_offset(object, symbols.eval.st_value, &eval_offset) ||
	    !find_layout(object, found->version, symbols.runtime.st_value, &found->layout))
		return SYMBOLS_PYTHON_UNKNOWN;
	uint64_t bias = symbols.eval.st_value - eval_offset;
	found->eval_start = eval_offset;
	found->eval_end = eval_offset + symbols.eval.st_size;
	found->runtime = symbols.runtime.st_value - bias;
	found->runtime_bytes = (uint32_t)symbols.runtime.st_size;
	found->code_type = symbols.code_type.st_value - bias;
	return SYMBOLS_PYTHON_KNOWN;
}
