/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack_walk - from a frame outwards to the innermost caller in scope.
 *
 * By rows made from .eh_frame in the shared page, and by frame pointers in code without rows. Only
 * the used part of the thread's own stack is read directly; other stacks (coroutines, alternate
 * signal stacks) are read by process_vm_readv.
 */
#include "runtime/stack_walk.h"

#include "runtime/progress.h"
#include "wire/unwind.h"

#include <sys/syscall.h>
#include <sys/uio.h>

#define FRAMES_MOST 48
#define STACK_LARGEST (1ull << 30)

/* ---- from an address to a location ---- */

static bool find_mapping(const struct runtime_process *process, uint64_t address,
			 struct runtime_mapping *found)
{
	uint32_t low = 0, high = __atomic_load_n(&process->mapping_count, __ATOMIC_RELAXED);

	if (high > RUNTIME_MAPPINGS_MOST)
		return false;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (__atomic_load_n(&process->mappings[middle].end, __ATOMIC_RELAXED) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low >= RUNTIME_MAPPINGS_MOST)
		return false;
	*found = process->mappings[low];
	return low < __atomic_load_n(&process->mapping_count, __ATOMIC_RELAXED) &&
	       found->start <= address && address < found->end;
}

/* False: the address is in no known mapping, and the engine is asked to read them. */
static bool locate(uint64_t address, struct location *location)
{
	struct runtime_process *process = runtime_process;
	struct runtime_mapping mapping;
	uint32_t sequence = __atomic_load_n(&process->sequence, __ATOMIC_ACQUIRE);

	location->object = WIRE_OBJECT_UNKNOWN;
	location->offset = address;
	bool is_found = process->mapped_image == process->image && !(sequence & 1) &&
			find_mapping(process, address, &mapping);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!is_found || __atomic_load_n(&process->sequence, __ATOMIC_RELAXED) != sequence) {
		__atomic_store_n(&process->wants, 1, __ATOMIC_RELEASE);
		COUNT(failed_lookups, 1);
		return false;
	}
	location->object = mapping.object;
	if (mapping.object != WIRE_OBJECT_NO_FILE)
		location->offset = address - mapping.start + mapping.offset;
	return true;
}

/* ---- the banks of ranges: target, scope, sampled points ---- */

static const struct wire_range *range_in_bank(uint32_t bank, const struct location *location)
{
	const struct wire_range *ranges = runtime_page->ranges[bank];
	uint32_t count = runtime_page->settings.counts[bank], low = 0;

	count = count < WIRE_RANGES_MOST ? count : WIRE_RANGES_MOST;
	for (uint32_t high = count; low < high;) {
		uint32_t middle = (low + high) / 2;
		const struct wire_range *range = &ranges[middle];
		if (range->object < location->object ||
		    (range->object == location->object && range->end <= location->offset))
			low = middle + 1;
		else
			high = middle;
	}
	bool is_found = low < count && ranges[low].object == location->object &&
			ranges[low].start <= location->offset && location->offset < ranges[low].end;
	return is_found ? &ranges[low] : NULL;
}

static bool is_in_bank(uint32_t bank, const struct location *location)
{
	return range_in_bank(bank, location);
}

/* Bits WIRE_TARGET_*; 0: not the target. */
static uint32_t target_at(const struct location *location)
{
	uint32_t bank = WIRE_BANK_TARGET + (runtime_page->settings.target_bank & 1);
	const struct wire_range *range = range_in_bank(bank, location);

	return range ? range->value : 0;
}

uint32_t stack_walk_sampled_point(const struct location *location)
{
	const struct wire_range *range = range_in_bank(WIRE_BANK_SAMPLED, location);
	return range ? range->value : WIRE_POINTS_MOST;
}

/* ---- from a frame to its caller ---- */

static bool read_elsewhere(uint64_t *word, uint64_t address)
{
	struct iovec local = {.iov_base = word, .iov_len = sizeof(*word)};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)address, .iov_len = sizeof(*word)};
	const long arguments[6] = {
		lever_call_1(SYS_getpid, 0), (long)&local, 1, (long)&remote, 1, 0};
	return lever_system_call(SYS_process_vm_readv, arguments) == sizeof(*word);
}

struct reader {
	uint64_t low, high; /* of the used part of the thread's stack; high 0: another stack */
};

/* The sanitizers report reads of other frames. */
__attribute__((no_sanitize("address", "thread"))) static bool read_word(const struct reader *reader,
									uint64_t *word,
									uint64_t address)
{
	if (address & 7)
		return false;
	if (address < reader->low || address >= reader->high - sizeof(*word))
		return reader->high ? false : read_elsewhere(word, address);
	*word = *(const volatile uint64_t *)(uintptr_t)address;
	return true;
}

static bool by_frame_pointer(const struct reader *reader, struct frame *frame)
{
	uint64_t bp, ip, record = frame->bp + (uint64_t)(int64_t)WIRE_RECORD_AT;

	if (!frame->bp)
		frame->ip = 0; /* the outermost frame, by the ABI */
	if (frame->bp < frame->sp || !read_word(reader, &bp, record) ||
	    !read_word(reader, &ip, record + 8))
		return false;
	*frame = (struct frame){.ip = wire_code_address(ip),
				.sp = WIRE_RECORD_SP(frame->bp),
				.bp = bp,
				.is_return = true};
	return ip != 0;
}

static bool by_signal(const struct reader *reader, struct frame *frame)
{
	uint64_t context = frame->sp;

	frame->is_return = false;
#if WIRE_HAS_LINK
	if (!read_word(reader, &frame->link, context + WIRE_SIGNAL_LINK))
		return false;
#endif
	return read_word(reader, &frame->bp, context + WIRE_SIGNAL_BP) &&
	       read_word(reader, &frame->ip, context + WIRE_SIGNAL_IP) &&
	       read_word(reader, &frame->sp, context + WIRE_SIGNAL_SP);
}

/* The return address into frame->ip. False: it is unknown. */
static bool by_return(const struct reader *reader, struct frame *frame,
		      const struct wire_unwind_row *row, uint64_t cfa)
{
	uint64_t ip = frame->link;

	frame->link = 0;
	if (!wire_unwind_has_link(row) && !read_word(reader, &ip, wire_unwind_return_at(row, cfa)))
		return false;
	frame->ip = wire_code_address(ip);
	frame->sp = cfa;
	frame->is_return = true;
	return frame->ip != 0;
}

static const struct wire_unwind_row *row_at(const struct location *location)
{
	if (location->object >= WIRE_OBJECTS_MOST)
		return NULL;
	uint32_t first = runtime_page->unwind_objects[location->object].first;
	uint32_t count = runtime_page->unwind_objects[location->object].count, low = first;

	if (!count || first >= WIRE_UNWIND_ROWS_MOST || count > WIRE_UNWIND_ROWS_MOST - first)
		return NULL;
	for (uint32_t high = first + count; low < high;) {
		uint32_t middle = (low + high) / 2;
		if (runtime_page->unwind_rows[middle].start <= location->offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low == first ? NULL : &runtime_page->unwind_rows[low - 1];
}

/* False at the outermost frame, with ip 0, and where the caller is unknown. */
static bool go_up(const struct reader *reader, struct frame *frame, const struct location *location)
{
	const struct wire_unwind_row *row = row_at(location);
	uint64_t cfa;

	if (!row || !row->rule)
		return by_frame_pointer(reader, frame);
	if (row->rule == WIRE_UNWIND_SIGNAL)
		return by_signal(reader, frame);
	if (row->rule == WIRE_UNWIND_END)
		frame->ip = 0;
	if (!wire_unwind_cfa(row, frame->ip, frame->sp, frame->bp, (__u64 *)&cfa))
		return false;
	if (wire_unwind_cfa_is_saved(row)) {
		if (!read_word(reader, &cfa, cfa))
			return false;
		cfa += wire_unwind_saved_less(row);
	}
	if (wire_unwind_saves_bp(row) &&
	    !read_word(reader, &frame->bp, cfa + (uint64_t)(int64_t)row->frame_offset))
		return false;
	return by_return(reader, frame, row, cfa);
}

/* Is the frame in a spin loop, or in code that one calls? */
static void check_spin(const struct location *location, int depth, struct walk *walk)
{
	uint32_t bank = WIRE_BANK_SPIN + (runtime_page->settings.spin_bank & 1);
	const struct wire_range *range = NULL;

	if (depth < WIRE_SPIN_FRAMES && !walk->is_spinning)
		range = range_in_bank(bank, location);
	walk->is_spinning |= range && range->value == WIRE_SPIN_LOOP;
	walk->is_in_spin_helper = range && range->value == WIRE_SPIN_HELPER;
}

/* True: the walk ends here. */
static bool check_location(const struct location *location, struct walk *walk)
{
	const struct wire_settings *settings = &runtime_page->settings;
	uint32_t target = target_at(location);
	uint32_t own = WIRE_TARGET_OWN_LEVELS(target);
	/* A target that the user has named counts outside the scope, too. */
	bool is_found = own || is_in_bank(WIRE_BANK_SCOPE + (settings->scope_bank & 1), location);

	if (is_found && !walk->is_found) {
		walk->levels |= (uint8_t)own;
		walk->is_found = true;
		walk->found = *location;
	}
	walk->levels |= (uint8_t)WIRE_TARGET_INCLUSIVE_LEVELS(target);
	if (walk->wants_callers && walk->caller_count < RUNTIME_CALLERS_MOST &&
	    location->object < WIRE_OBJECTS_MOST)
		walk->callers[walk->caller_count++] =
			(uint64_t)location->object << RUNTIME_CALLER_SHIFT | location->offset;
	return walk->is_found && !walk->wants_callers && !walk->is_in_spin_helper &&
	       !(settings->inclusive_levels & ~(uint32_t)walk->levels);
}

static void walk_frames(struct frame *frame, struct walk *walk)
{
	uint64_t high = thread_self.stack_high;
	struct reader reader = {.low = frame->sp, .high = high};

	if (frame->sp >= high || high - frame->sp > STACK_LARGEST)
		reader.high = 0; /* another stack */
	for (int depth = 0; depth < FRAMES_MOST; depth++) {
		struct location location;
		/* A return address may belong to the next line; the byte before is in the call. */
		if (!locate(frame->ip - (frame->is_return ? 1 : 0), &location))
			return;
		if (!depth)
			walk->leaf = location;
		check_spin(&location, depth, walk);
		if (check_location(&location, walk))
			return;
		if (!go_up(&reader, frame, &location)) {
			walk->is_complete = !frame->ip;
			return;
		}
	}
}

/* One of `enable_callers` samples, at random. */
static bool callers_are_due(void)
{
	uint32_t one_of = runtime_page->settings.enable_callers;

	thread_self.random = thread_self.random * 1664525u + 1013904223u;
	return one_of && (thread_self.random >> 8) % one_of == 0;
}

void stack_walk_up(struct frame *frame, struct walk *walk)
{
	*walk = (struct walk){.span = progress_span(), .wants_callers = callers_are_due()};
	walk_frames(frame, walk);
	struct location span = {.object = WIRE_OBJECT_SPANS, .offset = walk->span};
	if (walk->span != WIRE_SPAN_NONE)
		walk->levels |= (uint8_t)WIRE_TARGET_OWN_LEVELS(target_at(&span));
	if (walk->is_spinning)
		walk->levels = 0;
}
