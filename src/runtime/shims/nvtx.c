/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nvtx - puts the annotations of programs that use NVTX on the timeline of `lever trace`.
 *
 * NVTX version 3 is header only: at the first call in a program it loads the library
 * NVTX_INJECTION64_PATH and calls InitializeInjectionNvtx2, which asks for tables whose entries
 * point to the function pointers behind NVTX's calls. Numbers and layouts are those of its
 * interface.
 *
 * A push begins a span and a pop ends it: each domain has a stack in each thread. Ranges from a
 * start to an end, perhaps in another thread, are arrows. An event of a domain is called "DOMAIN:
 * MESSAGE". Integer payloads are values; floating ones, categories and colours are left out.
 */
#include "runtime/shims/shim.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <wchar.h>

#define SHIM_EXPORT __attribute__((visibility("default")))

enum nvtx_table { TABLE_CALLBACKS = 1 };
enum nvtx_module { MODULE_CORE = 1, MODULE_CORE2 = 5 };

/* Indices in the table of each module. */
enum nvtx_core {
	CORE_MARK_EX = 1,
	CORE_MARK,
	CORE_MARK_WIDE,
	CORE_START_EX,
	CORE_START,
	CORE_START_WIDE,
	CORE_END,
	CORE_PUSH_EX,
	CORE_PUSH,
	CORE_PUSH_WIDE,
	CORE_POP,
	CORE_NAME_THREAD = 14,
	CORE_NAME_THREAD_WIDE,
};

enum nvtx_core2 {
	CORE2_MARK_EX = 1,
	CORE2_START_EX,
	CORE2_END,
	CORE2_PUSH_EX,
	CORE2_POP,
	CORE2_REGISTER = 10,
	CORE2_REGISTER_WIDE,
	CORE2_DOMAIN,
	CORE2_DOMAIN_WIDE,
};

enum nvtx_message { MESSAGE_NARROW = 1, MESSAGE_WIDE, MESSAGE_REGISTERED };
enum nvtx_payload { PAYLOAD_U64 = 1, PAYLOAD_I64 = 2, PAYLOAD_U32 = 4, PAYLOAD_I32 = 5 };

struct nvtx_event {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	union {
		uint64_t u64;
		uint32_t u32;
		int32_t i32;
	} payload;
	int32_t message_type;
	union {
		const char *narrow;
		const wchar_t *wide;
		const void *registered;
	} message;
};
_Static_assert(sizeof(struct nvtx_event) == 48, "nvtx_event layout");

typedef void (*nvtx_function)(void);

struct nvtx_callbacks {
	size_t size;
	int (*module)(int module, nvtx_function ***table, unsigned *count);
};

SHIM_EXPORT int InitializeInjectionNvtx2(const void *(*table)(uint32_t));

/* Handles of domains and registered strings are names (shim.h). */
static const void *handle_of(unsigned name_id)
{
	return (const void *)(uintptr_t)name_id;
}

static unsigned name_of_handle(const void *handle)
{
	return (unsigned)(uintptr_t)handle;
}

/* ---- names ---- */

struct name {
	char text[LEVER_TRACE_NAME_BYTES];
	unsigned length;
};

static void add_byte(struct name *name, unsigned byte)
{
	if (name->length + 1 < sizeof(name->text))
		name->text[name->length++] = (char)byte;
}

static void add_narrow(struct name *name, const char *text)
{
	for (; text && *text && name->length + 1 < sizeof(name->text); text++)
		add_byte(name, (unsigned char)*text);
}

/* As UTF-8. */
static void add_wide(struct name *name, const wchar_t *text)
{
	for (; text && *text && name->length + 4 < sizeof(name->text); text++) {
		unsigned code = (unsigned)*text;
		if (code < 0x80) {
			add_byte(name, code);
			continue;
		}
		unsigned more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
		add_byte(name, (0xff00u >> (more + 1) & 0xff) | code >> 6 * more);
		while (more--)
			add_byte(name, 0x80 | (code >> 6 * more & 0x3f));
	}
}

/* The name of a domain. */
static void add_domain(struct name *name, const void *domain)
{
	const struct lever_points *page = lever_points_page();
	unsigned name_id = name_of_handle(domain);

	if (!page || !page->trace || !name_id || name_id > LEVER_TRACE_NAMES)
		return;
	add_narrow(name, ((const struct lever_trace *)page->trace)->names[name_id - 1].text);
	add_narrow(name, ": ");
}

static unsigned name_of(struct name *name)
{
	name->text[name->length] = 0;
	return shim_name(name->text);
}

static unsigned name_of_narrow(const void *domain, const char *text)
{
	struct name name = {.length = 0};

	if (!domain)
		return shim_name(text ? text : "");
	add_domain(&name, domain);
	add_narrow(&name, text);
	return name_of(&name);
}

static unsigned name_of_wide(const void *domain, const wchar_t *text)
{
	struct name name = {.length = 0};

	add_domain(&name, domain);
	add_wide(&name, text);
	return name_of(&name);
}

static unsigned name_of_event(const void *domain, const struct nvtx_event *event)
{
	switch (event ? event->message_type : 0) {
	case MESSAGE_NARROW:
		return name_of_narrow(domain, event->message.narrow);
	case MESSAGE_WIDE:
		return name_of_wide(domain, event->message.wide);
	case MESSAGE_REGISTERED:
		return name_of_handle(event->message.registered);
	default:
		return name_of_narrow(domain, "(no message)");
	}
}

static void mark_event(unsigned name_id, unsigned kind, const struct nvtx_event *event)
{
	switch (event ? event->payload_type : 0) {
	case PAYLOAD_U64:
	case PAYLOAD_I64:
		shim_mark(name_id, kind | LEVER_MARK_VALUE, event->payload.u64);
		return;
	case PAYLOAD_U32:
		shim_mark(name_id, kind | LEVER_MARK_VALUE, event->payload.u32);
		return;
	case PAYLOAD_I32:
		shim_mark(name_id, kind | LEVER_MARK_VALUE, (unsigned long long)event->payload.i32);
		return;
	default:
		shim_mark(name_id, kind, 0);
	}
}

/* ---- spans ---- */

struct open_span {
	unsigned domain, name_id;
};

/* Of this thread. */
static __thread struct {
	struct open_span items[SHIM_SPANS_MOST];
	unsigned count, beyond;
} open_spans;

/* Returns the level of the span in its domain. */
static int push(const void *domain, unsigned name_id, const struct nvtx_event *event)
{
	unsigned of = name_of_handle(domain);
	int level = 0;

	if (open_spans.count == SHIM_SPANS_MOST) {
		if (!open_spans.beyond)
			shim_mark_too_deep();
		return SHIM_SPANS_MOST + (int)open_spans.beyond++;
	}
	for (unsigned i = 0; i < open_spans.count; i++)
		level += open_spans.items[i].domain == of;
	open_spans.items[open_spans.count++] = (struct open_span){of, name_id};
	mark_event(name_id, LEVER_POINT_BEGIN, event);
	return level;
}

/* Ends the innermost span of the domain. */
static int pop(const void *domain)
{
	unsigned of = name_of_handle(domain), at = open_spans.count;
	int level = -1;

	if (open_spans.beyond)
		return SHIM_SPANS_MOST + (int)--open_spans.beyond;
	while (at && open_spans.items[at - 1].domain != of)
		at--;
	if (!at)
		return -2; /* no range was open, by the interface of NVTX */
	shim_mark(open_spans.items[at - 1].name_id, LEVER_POINT_END, 0);
	for (unsigned i = 0; i < at; i++)
		level += open_spans.items[i].domain == of;
	for (open_spans.count--; at <= open_spans.count; at++)
		open_spans.items[at - 1] = open_spans.items[at];
	return level;
}

/* The id is unique in all processes, and contains the name. */
static uint64_t start(unsigned name_id)
{
	static uint64_t count;
	uint64_t pid = (uint64_t)lever_call_1(SYS_getpid, 0);
	uint64_t number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
	uint64_t id = pid << 42 | (number & 0x3ffffff) << 16 | (name_id & 0xffff);

	shim_mark(name_id, LEVER_MARK_FLOW_OUT | LEVER_MARK_VALUE, id);
	return id;
}

/* ---- called by NVTX ---- */

static void mark_ex(const struct nvtx_event *event)
{
	mark_event(name_of_event(NULL, event), LEVER_MARK_INSTANT, event);
}

static void mark_narrow(const char *text)
{
	shim_mark(name_of_narrow(NULL, text), LEVER_MARK_INSTANT, 0);
}

static void mark_wide(const wchar_t *text)
{
	shim_mark(name_of_wide(NULL, text), LEVER_MARK_INSTANT, 0);
}

static uint64_t start_ex(const struct nvtx_event *event)
{
	return start(name_of_event(NULL, event));
}

static uint64_t start_narrow(const char *text)
{
	return start(name_of_narrow(NULL, text));
}

static uint64_t start_wide(const wchar_t *text)
{
	return start(name_of_wide(NULL, text));
}

static void end(uint64_t id)
{
	shim_mark((unsigned)id & 0xffff, LEVER_MARK_FLOW_IN | LEVER_MARK_VALUE, id);
}

static int push_ex(const struct nvtx_event *event)
{
	return push(NULL, name_of_event(NULL, event), event);
}

static int push_narrow(const char *text)
{
	return push(NULL, name_of_narrow(NULL, text), NULL);
}

static int push_wide(const wchar_t *text)
{
	return push(NULL, name_of_wide(NULL, text), NULL);
}

static int pop_default(void)
{
	return pop(NULL);
}

static void name_thread(uint32_t tid, const char *text)
{
	shim_mark(name_of_narrow(NULL, text), LEVER_MARK_THREAD_NAME | LEVER_MARK_VALUE, tid);
}

static void name_thread_wide(uint32_t tid, const wchar_t *text)
{
	shim_mark(name_of_wide(NULL, text), LEVER_MARK_THREAD_NAME | LEVER_MARK_VALUE, tid);
}

static void domain_mark_ex(const void *domain, const struct nvtx_event *event)
{
	mark_event(name_of_event(domain, event), LEVER_MARK_INSTANT, event);
}

static uint64_t domain_start_ex(const void *domain, const struct nvtx_event *event)
{
	return start(name_of_event(domain, event));
}

static void domain_end(const void *domain, uint64_t id)
{
	(void)domain;
	end(id);
}

static int domain_push_ex(const void *domain, const struct nvtx_event *event)
{
	return push(domain, name_of_event(domain, event), event);
}

static const void *register_narrow(const void *domain, const char *text)
{
	return handle_of(name_of_narrow(domain, text));
}

static const void *register_wide(const void *domain, const wchar_t *text)
{
	return handle_of(name_of_wide(domain, text));
}

static const void *domain_narrow(const char *text)
{
	return handle_of(name_of_narrow(NULL, text));
}

static const void *domain_wide(const wchar_t *text)
{
	return handle_of(name_of_wide(NULL, text));
}

/* ---- attaching ---- */

static const struct entry {
	int module, index;
	nvtx_function function;
} entries[] = {
#define ENTRY(module, index, function)                   \
	{                                                \
		module, index, (nvtx_function)(function) \
	}
	ENTRY(MODULE_CORE, CORE_MARK_EX, mark_ex),
	ENTRY(MODULE_CORE, CORE_MARK, mark_narrow),
	ENTRY(MODULE_CORE, CORE_MARK_WIDE, mark_wide),
	ENTRY(MODULE_CORE, CORE_START_EX, start_ex),
	ENTRY(MODULE_CORE, CORE_START, start_narrow),
	ENTRY(MODULE_CORE, CORE_START_WIDE, start_wide),
	ENTRY(MODULE_CORE, CORE_END, end),
	ENTRY(MODULE_CORE, CORE_PUSH_EX, push_ex),
	ENTRY(MODULE_CORE, CORE_PUSH, push_narrow),
	ENTRY(MODULE_CORE, CORE_PUSH_WIDE, push_wide),
	ENTRY(MODULE_CORE, CORE_POP, pop_default),
	ENTRY(MODULE_CORE, CORE_NAME_THREAD, name_thread),
	ENTRY(MODULE_CORE, CORE_NAME_THREAD_WIDE, name_thread_wide),
	ENTRY(MODULE_CORE2, CORE2_MARK_EX, domain_mark_ex),
	ENTRY(MODULE_CORE2, CORE2_START_EX, domain_start_ex),
	ENTRY(MODULE_CORE2, CORE2_END, domain_end),
	ENTRY(MODULE_CORE2, CORE2_PUSH_EX, domain_push_ex),
	ENTRY(MODULE_CORE2, CORE2_POP, pop),
	ENTRY(MODULE_CORE2, CORE2_REGISTER, register_narrow),
	ENTRY(MODULE_CORE2, CORE2_REGISTER_WIDE, register_wide),
	ENTRY(MODULE_CORE2, CORE2_DOMAIN, domain_narrow),
	ENTRY(MODULE_CORE2, CORE2_DOMAIN_WIDE, domain_wide),
#undef ENTRY
};

/* Called once for each copy of NVTX in the program. 0: no trace, and NVTX does nothing. */
int InitializeInjectionNvtx2(const void *(*table)(uint32_t))
{
	const struct nvtx_callbacks *callbacks = table(TABLE_CALLBACKS);

	if (!shim_is_traced() || !callbacks || callbacks->size < sizeof(*callbacks))
		return 0;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		nvtx_function **slots = NULL;
		unsigned count = 0;
		if (callbacks->module(entries[i].module, &slots, &count) && slots &&
		    (unsigned)entries[i].index < count && slots[entries[i].index])
			*slots[entries[i].index] = entries[i].function;
	}
	return 1;
}
