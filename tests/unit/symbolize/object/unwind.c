/* SPDX-License-Identifier: BSD-2-Clause */
/* unwind - rows of unwind information, and of code that has none. */
#include "../fixture.h"

#include "symbolize/machine/instruction.h"
#include "symbolize/object/unwind.h"

#include "check.h"

#include <stdlib.h>

/* Functions with early ends, calls, a table of jumps, large frames and a used frame pointer. */
static const char source[] =
	"extern int other(int, int, int, int, int, int, int, long);\n"
	"volatile int seen;\n"
	"int early(int x) { if (x < 0) return 1; return other(x, 1, 2, 3, 4, 5, 6, 7) + x; }\n"
	"int large(int x) { volatile char text[3000]; text[x] = 1; seen = text[x + 1];\n"
	"	return other(x, 1, 2, 3, 4, 5, 6, seen) * text[7]; }\n"
	"int busy(int a, int b, int c, int d, int e) {\n"
	"	int s = 0, t = a ^ b, u = c + d, v = e * 3;\n"
	"	for (int i = 0; i < a; i++) {\n"
	"		s += other(i, t, u, v, a, b, c, d); t ^= s; u += t; v -= u; }\n"
	"	return s + t + u + v + a + b + c + d + e; }\n"
	"int table(int x, int y) { switch (x) {\n"
	"	case 0: return other(y, 1, 1, 1, 1, 1, 1, 1) + y; case 1: seen = y; return 2 + y;\n"
	"	case 2: return other(y, 2, 1, 1, 1, 1, 1, 1) - y; case 3: return y * 7;\n"
	"	case 4: return other(y, 3, 1, 1, 1, 1, 1, 1) ^ y; case 5: return seen;\n"
	"	case 6: return other(y, 4, 1, 1, 1, 1, 1, 1) | y; default: return x; } }\n"
	"int leaf(int x) { return x * 3 + seen; }\n";
static const char beside[] = "int other(int a, int b, int c, int d, int e, int f, int g, long h)\n"
			     "{ return a + b + c + d + e + f + g + (int)h; }\n";

/* An aligned stack, whose CFA is what was saved at rsp + 40, and at rbp - 16. */
static const char saved[] = ".text\n.globl aligned\n.type aligned, @function\n"
			    "aligned:\n.cfi_startproc\n"
			    "mov %rsp, %rax\nsub $64, %rsp\nand $-64, %rsp\nmov %rax, 40(%rsp)\n"
			    ".cfi_escape 0x0f,0x05,0x77,0x28,0x06,0x23,0x08\n"
			    "nop\n"
			    ".cfi_escape 0x0f,0x03,0x76,0x70,0x06\n"
			    "nop\n"
			    "mov 40(%rsp), %rsp\n.cfi_def_cfa %rsp, 8\nret\n.cfi_endproc\n"
			    ".size aligned, .-aligned\n"
			    ".section .note.GNU-stack,\"\",@progbits\n";

static const struct unwind_row *row_at(const struct unwind_row *rows, size_t count, uint64_t at)
{
	const struct unwind_row *found = NULL;

	for (size_t i = 0; i < count && rows[i].start <= at; i++)
		found = &rows[i];
	return found;
}

static size_t read_rows(const char *file, struct unwind_row **rows)
{
	struct fixture fixture;

	*rows = NULL;
	CHECK(!fixture_open(&fixture, file, TARGET_FUNCTION, NULL));
	size_t count = symbols_unwind_rows(fixture.symbols, fixture.object, rows);
	fixture_close(&fixture);
	return count;
}

/* The same code with and without unwind information; false: it cannot be built here. */
static bool build(const char *compiler, const char *options)
{
	fixture_begin();
	fixture_write("twin.c", source, strlen(source));
	fixture_write("beside.c", beside, strlen(beside));
	return fixture_run("command -v %s", compiler) &&
	       fixture_run("%s -w -fPIC %s -S twin.c -o with.s", compiler, options) &&
	       fixture_run("sed '/^\t[.]cfi_/d' with.s >without.s") &&
	       fixture_run("%s -w -fPIC -shared beside.c with.s -o with.so", compiler) &&
	       fixture_run("%s -w -fPIC -shared beside.c without.s -o without.so", compiler);
}

/* Compilers tell late that the frame pointer is saved, or that it is restored: both are right. */
static bool is_equal(const struct unwind_row *known, const struct unwind_row *found)
{
	bool is_popped = known->frame_offset + known->cfa_offset < 0 && !found->frame_offset;

	return known->rule == UNWIND_SP && found->rule == UNWIND_SP &&
	       known->cfa_offset == found->cfa_offset &&
	       (known->frame_offset == found->frame_offset || is_popped || !known->frame_offset);
}

/* Bytes of the function that have other rows, or none. */
static uint64_t differing(const char *function)
{
	struct unwind_row *with, *without;
	size_t with_count = read_rows("with.so", &with);
	size_t without_count = read_rows("without.so", &without);
	uint64_t start = 0, size = 0, same = 0, differ = 0;

	CHECK(fixture_symbol("with.so", function, &start, &size));
	CHECK(fixture_symbol("without.so", function, &same, &size));
	for (uint64_t at = 0; at < size; at++) {
		const struct unwind_row *known = row_at(with, with_count, start + at);
		const struct unwind_row *found = row_at(without, without_count, same + at);
		differ += !known || !found || !is_equal(known, found);
	}
	CHECK(size);
	free(with);
	free(without);
	return differ;
}

TEST("code without unwind information has the rows that its compiler would tell")
{
	static const char *const functions[] = {"early", "large", "busy", "table", "leaf"};
	static const char *const compilers[] = {"gcc", "clang"};

	unsigned built = 0;

	if (!instruction_is_available())
		SKIP("instructions are not read without Zydis");
	for (size_t i = 0; i < sizeof(compilers) / sizeof(*compilers); i++) {
		if (!build(compilers[i],
			   "-O2 -fomit-frame-pointer -fno-align-jumps -fno-align-loops"))
			continue;
		for (size_t j = 0; j < sizeof(functions) / sizeof(*functions); j++)
			CHECK_EQUAL(differing(functions[j]), 0);
		built++;
	}
	if (!built)
		SKIP("no compiler for x86-64");
}

TEST("a CFA that is saved in memory has a row")
{
	struct unwind_row *rows;
	uint64_t start = 0, size = 0;

	fixture_begin();
	fixture_write("saved.s", saved, strlen(saved));
	if (!fixture_run("gcc -shared saved.s -o saved.so"))
		SKIP("no compiler for x86-64");
	size_t count = read_rows("saved.so", &rows);
	CHECK(fixture_symbol("saved.so", "aligned", &start, &size));
	const struct unwind_row *by_sp = row_at(rows, count, start + 16);
	const struct unwind_row *by_bp = row_at(rows, count, start + 17);
	CHECK(by_sp->rule == UNWIND_SP_SAVED && by_sp->cfa_offset == 40 && by_sp->return_slot == 1);
	CHECK(by_bp->rule == UNWIND_BP_SAVED && by_bp->cfa_offset == -16 && !by_bp->return_slot);
	free(rows);
}
