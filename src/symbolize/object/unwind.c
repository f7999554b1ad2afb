/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind - reads functions from the sorted table of .eh_frame_hdr, and their rows from .eh_frame by
 * libdw.
 */
#include "symbolize/object/unwind.h"

#include "base/memory.h"
#include "symbolize/object/inferred_unwind.h"
#include "symbolize/object/object.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

/* DWARF's numbers of registers, by the ABI. */
struct register_numbers {
	uint16_t machine;
	bool has_link; /* the return address is in a register at the start of a function */
	unsigned bp, sp, return_address;
};
static const struct register_numbers machines[] = {
	{EM_X86_64, false, 6, 7, 16},
	{EM_AARCH64, true, 29, 31, 30},
	{EM_RISCV, true, 8, 2, 1},
};
#define TABLE_ENCODING (DW_EH_PE_datarel | DW_EH_PE_sdata4)
#define STEPS_MOST 4096   /* rows of one function; a file with more is damaged */
#define INFERRED_LEAST 32 /* bytes without information; fewer are padding */

struct row_list {
	struct unwind_row *items;
	size_t count, capacity;
	const struct register_numbers *numbers;
};

static void add_row(struct row_list *rows, struct unwind_row row)
{
	struct unwind_row *last = rows->count ? &rows->items[rows->count - 1] : NULL;

	if (last && last->rule == row.rule && last->cfa_offset == row.cfa_offset &&
	    last->frame_offset == row.frame_offset && last->return_slot == row.return_slot)
		return;
	if (last && last->start == row.start)
		*last = row;
	else
		*array_add(rows) = row;
}

/* rsp + 8 + ((rip & 15) >= N) * 8: the linker's rule for procedure linkage tables. */
static bool is_linkage_rule(const Dwarf_Op *operations, size_t count, int32_t *entry_byte)
{
	if (count != 9 || operations[0].atom != DW_OP_breg7 || operations[0].number != 8 ||
	    operations[1].atom != DW_OP_breg16 || operations[2].atom != DW_OP_lit15 ||
	    operations[4].atom < DW_OP_lit0 || operations[4].atom > DW_OP_lit15)
		return false;
	*entry_byte = operations[4].atom - DW_OP_lit0;
	return true;
}

/* *(register + offset) + a few words: where assembly has saved it, or a compiler that aligns. */
static void read_saved_cfa(const Dwarf_Op *operations, size_t count,
			   const struct register_numbers *numbers, struct unwind_row *row)
{
	int64_t offset = (int64_t)operations[0].number;
	uint64_t less = count == 3 ? operations[2].number : 0;
	bool is_sp = operations[0].atom == DW_OP_breg0 + numbers->sp;
	bool is_bp = operations[0].atom == DW_OP_breg0 + numbers->bp;

	if (numbers->has_link || (!is_sp && !is_bp) || operations[1].atom != DW_OP_deref ||
	    (count == 3 && operations[2].atom != DW_OP_plus_uconst) || less % 8 ||
	    less / 8 > INT8_MAX || offset != (int32_t)offset)
		return;
	row->rule = is_sp ? UNWIND_SP_SAVED : UNWIND_BP_SAVED;
	row->cfa_offset = (int32_t)offset;
	row->return_slot = (int8_t)(less / 8);
}

static void read_cfa(Dwarf_Frame *frame, const struct register_numbers *numbers,
		     struct unwind_row *row)
{
	Dwarf_Op *operations;
	size_t count;

	if (dwarf_frame_cfa(frame, &operations, &count) || !count)
		return;
	if (is_linkage_rule(operations, count, &row->cfa_offset)) {
		row->rule = UNWIND_PLT;
		return;
	}
	if (count == 2 || count == 3)
		read_saved_cfa(operations, count, numbers, row);
	if (count != 1 || operations[0].atom != DW_OP_bregx)
		return;
	if (operations[0].number == numbers->sp)
		row->rule = UNWIND_SP;
	else if (operations[0].number == numbers->bp)
		row->rule = UNWIND_BP;
	row->cfa_offset = (int32_t)operations[0].number2;
}

/* Where the register is saved, from the CFA; false: nowhere. `*is_undefined`: it has no value. */
static bool saved_at(Dwarf_Frame *frame, unsigned number, int64_t *offset, bool *is_undefined)
{
	Dwarf_Op memory[3], *operations;
	size_t count;

	*is_undefined = false;
	if (dwarf_frame_register(frame, (int)number, memory, &operations, &count))
		return false;
	*is_undefined = !count && operations == memory;
	if (!count || operations[0].atom != DW_OP_call_frame_cfa || count > 2 ||
	    (count == 2 && operations[1].atom != DW_OP_plus_uconst))
		return false;
	*offset = count == 2 ? (int64_t)operations[1].number : 0;
	return true;
}

/* Where the return address is. False: too far from the frame pointer for a row. */
static bool read_return(bool is_saved, int64_t return_at, bool saves_bp, struct unwind_row *row)
{
	int64_t slot = (return_at - row->frame_offset) / 8;

	if (!is_saved) {
		row->return_slot = UNWIND_RETURN_IN_LINK;
	} else if (!saves_bp) {
		row->frame_offset = (int16_t)return_at;
		return row->frame_offset == return_at;
	} else {
		row->return_slot = (int8_t)slot;
		return slot > UNWIND_RETURN_IN_LINK && slot <= INT8_MAX && slot;
	}
	return true;
}

static void read_registers(Dwarf_Frame *frame, const struct register_numbers *numbers,
			   struct unwind_row *row)
{
	int64_t return_at = 0, bp_at = 0;
	bool has_no_caller, is_undefined;
	bool is_saved = saved_at(frame, numbers->return_address, &return_at, &has_no_caller);
	bool saves_bp = saved_at(frame, numbers->bp, &bp_at, &is_undefined);

	if (saves_bp)
		row->frame_offset = (int16_t)bp_at;
	if (numbers->has_link && !read_return(is_saved, return_at, saves_bp, row))
		row->rule = UNWIND_NONE;
	if (has_no_caller)
		row->rule = UNWIND_END;
}

/* The rows from `address` on, up to `limit`; returns the address after them. */
static uint64_t read_function(const struct object *object, Dwarf_CFI *frames, uint64_t address,
			      uint64_t limit, struct row_list *rows)
{
	for (int step = 0; step < STEPS_MOST && address < limit; step++) {
		Dwarf_Frame *frame = NULL;
		Dwarf_Addr start, end;
		bool is_signal = false;
		struct unwind_row row = {0};

		if (dwarf_cfi_addrframe(frames, address, &frame))
			return address;
		int failed = dwarf_frame_info(frame, &start, &end, &is_signal) < 0;
		read_cfa(frame, rows->numbers, &row);
		read_registers(frame, rows->numbers, &row);
		free(frame);
		if (is_signal)
			row.rule = UNWIND_SIGNAL;
		if (failed || end <= address || !object_offset(object, address, &row.start))
			return address;
		add_row(rows, row);
		address = end;
	}
	return address;
}

/* The sorted table of .eh_frame_hdr: pairs (function, description), relative to the section. */
static const int32_t *function_table(const struct object *object, size_t *count, uint64_t *base)
{
	GElf_Shdr header;
	const Elf_Data *data = object_section(object->elf, ".eh_frame_hdr", &header);
	uint32_t entries;

	if (!data || data->d_size < 12)
		return NULL;
	const unsigned char *bytes = data->d_buf;
	if (bytes[0] != 1 || bytes[1] != (DW_EH_PE_pcrel | DW_EH_PE_sdata4) ||
	    bytes[2] != DW_EH_PE_udata4 || bytes[3] != TABLE_ENCODING)
		return NULL;
	memcpy(&entries, bytes + 8, sizeof(entries));
	if (entries > (data->d_size - 12) / 8)
		return NULL;
	*count = entries;
	*base = header.sh_addr;
	return (const int32_t *)(const void *)(bytes + 12);
}

static const struct range *ranges_around(const struct ranges *ranges, uint64_t offset)
{
	for (size_t i = 0; i < ranges->count; i++)
		if (ranges->items[i].start <= offset && offset < ranges->items[i].end)
			return &ranges->items[i];
	return NULL;
}

/* Of the code from `start` on, up to the address `limit`: assembly often has no information. */
static void infer_rows(const struct object *object, struct inferred_unwind **inferring,
		       uint64_t start, uint64_t limit, struct row_list *rows)
{
	const struct range *code = ranges_around(&object->code, start);
	struct unwind_row *inferred, after = {.rule = UNWIND_NONE};
	uint64_t end;

	if (!code)
		return;
	if (!object_offset(object, limit, &end) || end > code->end || end < start)
		end = code->end;
	if (end - start < INFERRED_LEAST)
		return;
	if (!*inferring)
		*inferring = inferred_unwind_new(object);
	size_t count = inferred_unwind_rows(*inferring, start, end, &inferred);
	for (size_t i = 0; i < count; i++)
		add_row(rows, inferred[i]);
	free(inferred);
	after.start = end;
	if (count)
		add_row(rows, after);
}

static void read_functions(const struct object *object, Dwarf_CFI *frames, struct row_list *rows)
{
	size_t count;
	uint64_t base;
	const int32_t *table = function_table(object, &count, &base);
	struct inferred_unwind *inferring = NULL;

	for (size_t i = 0; table && i < count; i++) {
		uint64_t address = base + (uint64_t)(int64_t)table[2 * i];
		uint64_t limit =
			i + 1 < count ? base + (uint64_t)(int64_t)table[2 * i + 2] : UINT64_MAX;
		struct unwind_row after = {.rule = UNWIND_NONE};
		uint64_t end = read_function(object, frames, address, limit, rows);
		if (end < limit && object_offset(object, end - 1, &after.start)) {
			after.start++;
			add_row(rows, after);
			infer_rows(object, &inferring, after.start, limit, rows);
		}
	}
	inferred_unwind_free(inferring);
}

static uint64_t table_address(const int32_t *table, uint64_t base, size_t index)
{
	return base + (uint64_t)(int64_t)table[2 * index];
}

bool unwind_function_at(const struct object *object, uint64_t offset, struct range *range)
{
	size_t count = 0, low = 0, high;
	uint64_t base, address;
	const int32_t *table = object->elf ? function_table(object, &count, &base) : NULL;

	*range = (struct range){0};
	if (!table || !object_address(object, offset, &address))
		return false;
	for (high = count; low < high;) {
		size_t middle = low + (high - low) / 2;
		if (table_address(table, base, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	const struct range *code = ranges_around(&object->code, offset);
	if (!code)
		return false;
	*range = *code;
	if (low < count && table_address(table, base, low) - address < range->end - offset)
		range->end = offset + (table_address(table, base, low) - address);
	if (!low || address - table_address(table, base, low - 1) > offset - code->start)
		return false;
	range->start = offset - (address - table_address(table, base, low - 1));
	return true;
}

size_t unwind_rows_read(const struct object *object, struct unwind_row **rows)
{
	struct row_list list = {0};
	GElf_Ehdr header;

	*rows = NULL;
	if (object->is_jit || !object->elf || !gelf_getehdr(object->elf, &header))
		return 0;
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (header.e_machine == machines[i].machine)
			list.numbers = &machines[i];
	if (!list.numbers)
		return 0;
	Dwarf_CFI *frames = dwarf_getcfi_elf(object->elf);
	if (!frames)
		return 0;
	read_functions(object, frames, &list);
	dwarf_cfi_end(frames);
	*rows = list.items;
	return list.count;
}
