/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * python - the frames of CPython, read from the interpreter's own structs (wire/python.h).
 *
 * A native frame in the interpreter's loop stands for the Python frames that run in it: a Python
 * function that calls another one makes no native frame. Frames are read from the innermost one on,
 * up to the one that C code has called. The thread's state is the one with the thread's id in the
 * interpreter's lists. Each code object is checked by its type; one wrong pointer ends the walk.
 */
#pragma once

#include "bpf/address_space.h"
#include "wire/python.h"

#define PYTHON_FRAME_BYTES 80 /* the part of a frame, and of a code object, that is read */
#define PYTHON_CODE_BYTES 144
#define PYTHON_THREADS_MOST 2048 /* that are searched */
#define PYTHON_OBJECT_TYPE 8     /* in every object: its type */
#define PYTHON_OWNED_BY_C 3      /* FRAME_OWNED_BY_CSTACK: a frame that stands for C's call */

struct wire_python pythons[WIRE_PYTHONS_MOST];
__u8 python_of_object[WIRE_OBJECTS_MOST]; /* index + 1; 0: no interpreter */
struct wire_python_totals python_totals;

/* Pointers and numbers of a code object; another one at the same address differs in some. */
struct python_code_key {
	u64 code, file, name, lines;
	u32 bytes, first_line;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WIRE_PYTHON_CODES_MOST);
	__type(key, struct python_code_key);
	__type(value, u32); /* its number */
} python_codes SEC(".maps");

struct python_thread_key {
	u64 runtime; /* address of _PyRuntime */
	u32 space, tid;
};

/* The address of the thread's state. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct python_thread_key);
	__type(value, u64);
} python_threads SEC(".maps");

struct python_runtime {
	u64 begin, end; /* of _PyRuntime */
};

/* By address space. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, u32);
	__type(value, struct python_runtime);
} python_runtimes SEC(".maps");

/* Whether the address, of a futex, is that of the interpreter's lock. */
static __always_inline bool python_runtime_has(u32 space, u64 address)
{
	struct python_runtime *runtime =
		python_totals.walks ? bpf_map_lookup_elem(&python_runtimes, &space) : NULL;

	return runtime && address >= runtime->begin && address < runtime->end;
}

/* In a map and not on the stack, so that the verifier does not follow its values. */
struct python_walk {
	u64 base;  /* of the interpreter's file: address of offset 0 of its code */
	u64 frame; /* the next one; 0: none, or not known */
	u32 space;
	u8 interpreter; /* index + 1; 0: not met yet */
	u8 is_inside;   /* the native frame's Python frames are being visited */
	u8 has_found;   /* at least one in this native frame */
	u8 pad;
};

/* The search for a thread's state. */
struct python_search {
	u64 interpreter, thread;
	u32 tid;
	u32 is_found;
};

struct python_scratch {
	struct python_walk walk;
	struct python_search search;
	struct python_thread_key thread_key;
	struct python_runtime runtime;
	u8 frame[WIRE_PYTHON_FRAME_BYTES + 8];
	u8 code[WIRE_PYTHON_CODE_BYTES + 8];
	struct python_code_key key;
	struct wire_python_code event;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 4); /* MAPPING_CACHES: a tick may interrupt a switch */
	__type(key, u32);
	__type(value, struct python_scratch);
} python_scratches SEC(".maps");

static __always_inline void python_begin(u32 which, u32 space)
{
	struct python_scratch *scratch = bpf_map_lookup_elem(&python_scratches, &which);

	if (!scratch)
		return;
	scratch->walk.interpreter = scratch->walk.is_inside = scratch->walk.has_found = 0;
	scratch->walk.space = space;
}

/* ---- reading ---- */

static __always_inline bool python_read(struct task_struct *other, void *to, u32 bytes, u64 address)
{
	if (other)
		return !bpf_copy_from_user_task(to, bytes, (void *)address, other, 0);
	return !bpf_probe_read_user(to, bytes, (void *)address);
}

static __always_inline u64 python_pointer(struct task_struct *other, u64 address)
{
	u64 pointer = 0;
	return python_read(other, &pointer, sizeof(pointer), address) ? pointer : 0;
}

static __always_inline u64 frame_field(const struct python_scratch *scratch, u8 offset)
{
	return *(const u64 *)(scratch->frame + (offset & (WIRE_PYTHON_FRAME_BYTES - 8)));
}

static __always_inline u64 code_field(const struct python_scratch *scratch, u8 offset)
{
	return *(const u64 *)(scratch->code + (offset & (WIRE_PYTHON_CODE_BYTES - 8)));
}

/* ---- the thread's state ---- */

struct python_search_context {
	struct task_struct *other;
	u32 which, index;
};

static __always_inline long python_search_step_in(struct task_struct *other, u32 which, u32 index)
{
	struct python_scratch *scratch = bpf_map_lookup_elem(&python_scratches, &which);
	const struct wire_python *python = &pythons[index & (WIRE_PYTHONS_MOST - 1)];
	if (!scratch)
		return 1;
	struct python_search *search = &scratch->search;
	if (!search->thread) {
		search->interpreter =
			python_pointer(other, search->interpreter + python->next_interpreter);
		if (!search->interpreter)
			return 1;
		search->thread = python_pointer(other, search->interpreter + python->threads);
		return 0;
	}
	u64 tid = python_pointer(other, search->thread + python->native_id);
	if ((u32)tid == search->tid) {
		search->is_found = 1;
		return 1;
	}
	search->thread = python_pointer(other, search->thread + python->next_thread);
	return 0;
}

static long python_search_step(u32 index, void *context)
{
	struct python_search_context *search = context;
	return python_search_step_in(NULL, search->which, search->index);
}

static __attribute__((unused)) long python_search_step_other(u32 index, void *context)
{
	struct python_search_context *search = context;
	return python_search_step_in(search->other, search->which, search->index);
}

typedef long python_search_visit(u32 index, void *context);

/* The address of the task's state, or 0: the interpreter does not know the thread. */
static __always_inline u64 python_thread_in(struct task_struct *other, struct task_struct *task,
					    u32 which, python_search_visit *visit)
{
	struct python_scratch *scratch = bpf_map_lookup_elem(&python_scratches, &which);
	if (!scratch)
		return 0;
	u32 index = (scratch->walk.interpreter - 1) & (WIRE_PYTHONS_MOST - 1);
	const struct wire_python *python = &pythons[index];
	struct python_thread_key *key = &scratch->thread_key;
	struct python_search *search = &scratch->search;
	key->runtime = scratch->walk.base + python->runtime;
	key->space = scratch->walk.space;
	key->tid = search->tid = thread_id_of(task);
	u64 *known = bpf_map_lookup_elem(&python_threads, key);
	if (known && (u32)python_pointer(other, *known + python->native_id) == key->tid)
		return *known;
	search->is_found = 0;
	search->interpreter = python_pointer(other, key->runtime + python->interpreters);
	if (!search->interpreter)
		return 0;
	search->thread = python_pointer(other, search->interpreter + python->threads);
	struct python_search_context context = {.other = other, .which = which, .index = index};
	bpf_loop(PYTHON_THREADS_MOST, visit, &context, 0);
	if (!search->is_found)
		return 0;
	scratch->runtime.begin = key->runtime;
	scratch->runtime.end = key->runtime + python->runtime_bytes;
	bpf_map_update_elem(&python_runtimes, &key->space, &scratch->runtime, BPF_ANY);
	bpf_map_update_elem(&python_threads, key, &search->thread, BPF_ANY);
	return search->thread;
}

/* The innermost frame of the thread. */
static __always_inline u64 python_current_in(struct task_struct *other,
					     const struct wire_python *python, u64 thread)
{
	u64 current = thread ? python_pointer(other, thread + python->current) : 0;

	if (current && python->has_indirect_current)
		current = python_pointer(other, current + python->current_of_current);
	return current;
}

/* ---- code objects ---- */

/* PyASCIIObject, PyCompactUnicodeObject: the same from 3.11 on. */
#define PYTHON_TEXT_LENGTH 16
#define PYTHON_TEXT_STATE 32
#define PYTHON_BYTES_LENGTH 16
#define PYTHON_BYTES_CONTENT 32

/* For the verifier: `room` is a power of two. */
static __always_inline u32 python_cut(u64 bytes, u32 room)
{
	if (bytes > room - 1)
		bytes = room - 1;
	asm volatile("" : "+r"(bytes));
	return bytes & (room - 1);
}

/* Returns its bytes; 0: it cannot be read. `room`: the size of `to`, a power of two. */
static __always_inline u32 python_text_read(struct task_struct *other,
					    const struct wire_python *python, u64 address, u8 *to,
					    u32 room, u8 *width)
{
	u64 length = python_pointer(other, address + PYTHON_TEXT_LENGTH);
	u32 state = (u32)python_pointer(other, address + PYTHON_TEXT_STATE) >>
		    (python->text_kind_shift & 31);

	*width = state & 7;
	address += state & 16 ? python->text_ascii : python->text_wide;
	u32 bytes = python_cut((length > room ? room : length) * (state & 7), room);
	return python_read(other, to, bytes, address) ? bytes : 0;
}

static __always_inline bool python_event_fill(struct task_struct *other,
					      const struct wire_python *python,
					      struct python_scratch *scratch)
{
	struct wire_python_code *event = &scratch->event;
	u64 lines = scratch->key.lines;

	event->kind = KERNEL_EVENT_PYTHON_CODE;
	event->bytes = scratch->key.bytes;
	event->first_line = scratch->key.first_line;
	event->file_bytes = python_text_read(other, python, scratch->key.file, event->file,
					     WIRE_PYTHON_FILE_BYTES, &event->file_width);
	event->name_bytes = python_text_read(other, python, scratch->key.name, event->name,
					     WIRE_PYTHON_NAME_BYTES, &event->name_width);
	event->pad = 0;
	event->all_lines_bytes = (u32)python_pointer(other, lines + PYTHON_BYTES_LENGTH);
	event->lines_bytes = python_cut(event->all_lines_bytes, WIRE_PYTHON_LINES_BYTES);
	return event->file_bytes && event->name_bytes &&
	       python_read(other, event->lines,
			   python_cut(event->all_lines_bytes, WIRE_PYTHON_LINES_BYTES),
			   lines + PYTHON_BYTES_CONTENT);
}

/* Gives a number to the code object with the key in the scratch, and sends its event. */
static __always_inline u32 python_announce_in(struct task_struct *other, struct task_struct *task,
					      u32 which)
{
	struct python_scratch *scratch = bpf_map_lookup_elem(&python_scratches, &which);
	if (!scratch)
		return 0;
	u32 index = (scratch->walk.interpreter - 1) & (WIRE_PYTHONS_MOST - 1);
	if (python_totals.next_code >= WIRE_PYTHON_CODES_MOST) {
		python_totals.lost_codes++;
		return 0;
	}
	if (!python_event_fill(other, &pythons[index], scratch))
		return 0;
	/* Announced by two cores at once, it has two numbers with the same names: both hold. */
	u32 number = __sync_fetch_and_add(&python_totals.next_code, 1) + 1;
	scratch->event.number = number;
	scratch->event.tgid = tgid_of(task);
	u64 bytes = __builtin_offsetof(struct wire_python_code, lines) +
		    python_cut(scratch->event.lines_bytes, WIRE_PYTHON_LINES_BYTES);
	if (bpf_ringbuf_output(&events, &scratch->event, bytes, BPF_RB_FORCE_WAKEUP)) {
		totals.lost_events++;
		return 0;
	}
	bpf_map_update_elem(&python_codes, &scratch->key, &number, BPF_ANY);
	return number;
}

/* ---- frames ---- */

enum python_frame {
	PYTHON_NATIVE, /* it is no call of the interpreter, or its frames cannot be read */
	PYTHON_FRAME,  /* a Python frame; there are more in the native one */
	PYTHON_LAST,   /* a Python frame, the last one */
	PYTHON_NONE,   /* there were Python frames, and there are no more */
};

/* Fills in the key of a frame's code object, and moves to the next frame. */
static __always_inline bool python_code_read(struct task_struct *other,
					     const struct wire_python *python,
					     struct python_scratch *scratch)
{
	u64 code = frame_field(scratch, python->frame_code);

	if (!python_read(other, scratch->code, PYTHON_CODE_BYTES, code) ||
	    code_field(scratch, PYTHON_OBJECT_TYPE) != scratch->walk.base + python->code_type)
		return false;
	scratch->key.code = code;
	scratch->key.file = code_field(scratch, python->code_file);
	scratch->key.name = code_field(scratch, python->code_name);
	scratch->key.lines = code_field(scratch, python->code_lines);
	scratch->key.bytes = 2 * (u32)code_field(scratch, python->code_size);
	u32 line_at = python->code_line & (WIRE_PYTHON_CODE_BYTES - 4);
	scratch->key.first_line = *(u32 *)(scratch->code + line_at);
	return true;
}

/* Rare parts are functions of their own: they keep the stack and the verifier's work small. */
__noinline u64 python_thread(u32 which)
{
	return python_thread_in(NULL, bpf_get_current_task_btf(), which, python_search_step);
}

__noinline u32 python_announce(u32 which)
{
	return python_announce_in(NULL, bpf_get_current_task_btf(), which);
}

/* The next Python frame of the native frame. */
static __always_inline enum python_frame python_next(struct task_struct *other, u32 which,
						     struct python_scratch *scratch,
						     struct location *location)
{
	struct python_walk *walk = &scratch->walk;
	u32 index = (walk->interpreter - 1) & (WIRE_PYTHONS_MOST - 1);
	const struct wire_python *python = &pythons[index];
	enum python_frame none = walk->has_found ? PYTHON_NONE : PYTHON_NATIVE;
	u64 frame = walk->frame;

	walk->is_inside = 0;
	walk->frame = 0;
	if (!frame || !python_read(other, scratch->frame, PYTHON_FRAME_BYTES, frame))
		return none;
	u8 entry = scratch->frame[python->frame_entry & (WIRE_PYTHON_FRAME_BYTES - 1)];
	u64 previous = frame_field(scratch, python->frame_previous);
	if (!python->has_entry_flag && entry == PYTHON_OWNED_BY_C) {
		walk->frame = previous;
		return none;
	}
	if (!python_code_read(other, python, scratch))
		return none;
	u32 *known = bpf_map_lookup_elem(&python_codes, &scratch->key);
	u32 number = known ? *known :
		     other ? python_announce_in(other, other, which) :
			     python_announce(which);
	if (!number)
		return none;
	u64 begin = scratch->key.code + python->code_bytes;
	u64 offset = frame_field(scratch, python->frame_instruction) - begin;
	if (offset >= scratch->key.bytes || offset >> WIRE_PYTHON_SHIFT)
		offset = 0; /* not begun */
	location->object = WIRE_OBJECT_PYTHON;
	location->offset = wire_python_offset(number, offset);
	walk->frame = previous;
	walk->has_found = 1;
	walk->is_inside = !(python->has_entry_flag && entry);
	return walk->is_inside ? PYTHON_FRAME : PYTHON_LAST;
}

/* Begins with the Python frames of a native one, if that is the interpreter's loop. */
static __always_inline bool python_enter(struct task_struct *other, u32 which,
					 struct python_walk *walk, u64 address,
					 const struct location *native)
{
	if (native->object >= WIRE_OBJECTS_MOST)
		return false;
	u8 interpreter = python_of_object[native->object];
	const struct wire_python *python = &pythons[(interpreter - 1) & (WIRE_PYTHONS_MOST - 1)];
	if (!interpreter || native->offset < python->eval_start ||
	    native->offset >= python->eval_end)
		return false;
	if (!walk->interpreter) {
		walk->interpreter = interpreter;
		walk->base = address - native->offset;
		u64 thread =
			other ? python_thread_in(other, other, which, python_search_step_other) :
				python_thread(which);
		walk->frame = python_current_in(other, python, thread);
		__sync_fetch_and_add(walk->frame ? &python_totals.walks : &python_totals.failures,
				     1);
	}
	return walk->interpreter == interpreter;
}

/* What the native frame at `address` stands for: enum python_frame, with `script` filled in. */
static __always_inline int python_frame_in(struct task_struct *other, u32 which, u64 address,
					   const struct location *native, struct location *script)
{
	struct python_scratch *scratch = bpf_map_lookup_elem(&python_scratches, &which);
	if (!scratch)
		return PYTHON_NATIVE;
	if (!scratch->walk.is_inside) {
		scratch->walk.has_found = 0;
		if (!python_enter(other, which, &scratch->walk, address, native))
			return PYTHON_NATIVE;
	}
	return python_next(other, which, scratch, script);
}

/* Of the current task. A function of its own, so that the verifier checks it once. */
__noinline int python_frame(u32 which, u64 address, const struct location *native,
			    struct location *script)
{
	if (!native || !script)
		return PYTHON_NATIVE;
	return python_frame_in(NULL, which, address, native, script);
}
