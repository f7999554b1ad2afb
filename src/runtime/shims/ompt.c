/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ompt - puts the regions of OpenMP programs on the timeline of `lever trace`.
 *
 * An OpenMP runtime with the tools interface (OMPT, chapter 4 of OpenMP 5.0; LLVM has it) loads the
 * library OMP_TOOL_LIBRARIES, calls its ompt_start_tool, and calls back at the edges of regions.
 * Numbers and arguments are those of the specification.
 *
 * Each thread of a team gets a span "parallel" from the start of its part to the barrier at the
 * end, and then "barrier"; within it spans of loops, sections, tasks, further barriers and waits
 * for locks. A name contains the code location as "loop at FILE+0xOFFSET", the offset in the file
 * just after the call into the runtime; the engine turns it into a line.
 */
#include "runtime/shims/shim.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>

#define SHIM_EXPORT __attribute__((visibility("default")))
#define LOCATIONS 1024 /* a power of two */
#define EXPLICIT_TASK (1ull << 63)
#define STARTED_TASK (1ull << 62)
#define CODE_MASK (STARTED_TASK - 1)

enum ompt_callback {
	ON_THREAD_BEGIN = 1,
	ON_PARALLEL_BEGIN = 3,
	ON_TASK_CREATE = 5,
	ON_TASK_SCHEDULE = 6,
	ON_IMPLICIT_TASK = 7,
	ON_WORK = 20,
	ON_SYNC_REGION = 23,
	ON_MUTEX_ACQUIRE = 26,
	ON_MUTEX_ACQUIRED = 27,
};

enum ompt_endpoint { SCOPE_BEGIN = 1, SCOPE_END = 2 };
enum { THREAD_WORKER = 2, TASK_INITIAL = 1, TASK_EXPLICIT = 4, TASK_COMPLETE = 1, TASK_CANCEL = 3 };
enum { WORK_SINGLE_OTHER = 4 };
enum { BARRIER_IMPLICIT = 2, BARRIER_IMPLICIT_PARALLEL = 9, BARRIER_TEAMS = 10 };
enum { MUTEX_LOCK = 1, MUTEX_NEST_LOCK = 3, MUTEX_CRITICAL = 5, MUTEX_ORDERED = 7 };

union ompt_data {
	uint64_t value;
	const void *code;
};

typedef void (*ompt_function)(void);
typedef ompt_function (*ompt_lookup)(const char *name);

struct ompt_tool {
	int (*initialize)(ompt_lookup lookup, int device, union ompt_data *data);
	void (*finalize)(union ompt_data *data);
	union ompt_data data;
};

SHIM_EXPORT struct ompt_tool *ompt_start_tool(unsigned version, const char *runtime);

enum span_kind {
	SPAN_PARALLEL = 1,
	SPAN_TASK,
	SPAN_WORK,                  /* plus the kind of work */
	SPAN_SYNC = SPAN_WORK + 16, /* plus the kind of synchronisation */
	SPAN_MUTEX = SPAN_SYNC + 16,
	SPAN_KINDS = SPAN_MUTEX + 16,
};

static const char *const span_names[SPAN_KINDS] = {
	[SPAN_PARALLEL] = "parallel",
	[SPAN_TASK] = "task",
	[SPAN_WORK] = "work",
	[SPAN_WORK + 1] = "loop",
	[SPAN_WORK + 2] = "sections",
	[SPAN_WORK + 3] = "single",
	[SPAN_WORK + 5] = "workshare",
	[SPAN_WORK + 6] = "distribute",
	[SPAN_WORK + 7] = "taskloop",
	[SPAN_WORK + 8] = "scope",
	[SPAN_SYNC] = "barrier",
	[SPAN_SYNC + 5] = "taskwait",
	[SPAN_SYNC + 6] = "taskgroup",
	[SPAN_SYNC + 7] = "reduction",
	[SPAN_MUTEX] = "wait for a lock",
	[SPAN_MUTEX + MUTEX_CRITICAL] = "wait for critical",
	[SPAN_MUTEX + MUTEX_ORDERED] = "wait for ordered",
};

static const char *name_of(unsigned kind)
{
	if (span_names[kind])
		return span_names[kind];
	return span_names[kind >= SPAN_MUTEX ? SPAN_MUTEX :
			  kind >= SPAN_SYNC  ? SPAN_SYNC :
					       SPAN_WORK];
}

/* ---- names ---- */

struct location_text {
	char text[LEVER_TRACE_NAME_BYTES];
	unsigned length;
	uintptr_t code;
};

static void add_text(struct location_text *location, const char *text)
{
	while (*text && location->length + 1 < sizeof(location->text))
		location->text[location->length++] = *text++;
}

static void add_number(struct location_text *location, uint64_t number)
{
	char digits[20] = "";
	unsigned at = sizeof(digits) - 1;

	do
		digits[--at] = "0123456789abcdef"[number & 15];
	while (number >>= 4);
	add_text(location, digits + at);
}

static void add_executable(struct location_text *location)
{
	const long at_fdcwd = -100;
	char path[LEVER_TRACE_NAME_BYTES] = "";
	const long arguments[6] = {at_fdcwd,   (long)"/proc/self/exe",
				   (long)path, (long)sizeof(path) - 1,
				   0,          0};

	if (lever_system_call(SYS_readlinkat, arguments) > 0)
		add_text(location, path);
}

/* Adds the file and the offset in it if the code is in this object. */
static int find_code(struct dl_phdr_info *object, size_t size, void *context)
{
	struct location_text *location = context;

	(void)size;
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		uintptr_t start = object->dlpi_addr + part->p_vaddr;
		if (part->p_type != PT_LOAD || location->code < start ||
		    location->code - start >= part->p_memsz)
			continue;
		add_text(location, " at ");
		if (object->dlpi_name && object->dlpi_name[0] == '/')
			add_text(location, object->dlpi_name);
		else
			add_executable(location);
		add_text(location, "+0x");
		add_number(location, location->code - start + part->p_offset);
		return 1;
	}
	return 0;
}

static unsigned name_id_make(unsigned kind, uintptr_t code)
{
	struct location_text location = {.code = code};

	add_text(&location, name_of(kind));
	if (code)
		dl_iterate_phdr(find_code, &location);
	location.text[location.length] = 0;
	return shim_name(location.text);
}

/* Cache of names by code location. A full table costs time, not names. */
static struct {
	uint64_t key;
	unsigned name_id;
} locations[LOCATIONS];

static unsigned name_id_of(unsigned kind, uintptr_t code)
{
	uint64_t key = (code & CODE_MASK) | (uint64_t)(kind + 1) << 57;

	for (unsigned probe = 0; probe < 16; probe++) {
		unsigned at = (unsigned)((key * 0x9e3779b97f4a7c15ull >> 40) + probe) % LOCATIONS;
		uint64_t found = 0;
		if (!__atomic_compare_exchange_n(&locations[at].key, &found, key, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) &&
		    found != key)
			continue;
		unsigned name_id = __atomic_load_n(&locations[at].name_id, __ATOMIC_RELAXED);
		if (!name_id) {
			name_id = name_id_make(kind, code);
			__atomic_store_n(&locations[at].name_id, name_id, __ATOMIC_RELAXED);
		}
		return name_id;
	}
	return name_id_make(kind, code);
}

/* ---- spans ---- */

/* Of this thread, outermost first. */
static __thread struct {
	struct {
		unsigned kind, name_id;
		uint64_t owner; /* task whose span it is, or 0 */
	} items[SHIM_SPANS_MOST];
	unsigned count, beyond;
} open_spans;

static void begin(unsigned kind, const void *code, uint64_t owner)
{
	unsigned name_id = name_id_of(kind, (uintptr_t)code);

	if (open_spans.count == SHIM_SPANS_MOST) {
		if (!open_spans.beyond++)
			shim_mark_too_deep();
		return;
	}
	open_spans.items[open_spans.count].kind = kind;
	open_spans.items[open_spans.count].name_id = name_id;
	open_spans.items[open_spans.count++].owner = owner;
	shim_mark(name_id, LEVER_POINT_BEGIN, 0);
}

/* Ends the innermost span of the kind and owner, if there is one, and the spans within it. */
static void end(unsigned kind, uint64_t owner)
{
	unsigned at = open_spans.count;

	if (open_spans.beyond) {
		open_spans.beyond--;
		return;
	}
	while (at &&
	       (open_spans.items[at - 1].kind != kind || open_spans.items[at - 1].owner != owner))
		at--;
	while (at && open_spans.count >= at)
		shim_mark(open_spans.items[--open_spans.count].name_id, LEVER_POINT_END, 0);
}

/* ---- called by the OpenMP runtime ---- */

static void on_thread_begin(int kind, union ompt_data *data)
{
	(void)data;
	if (kind == THREAD_WORKER)
		shim_mark(shim_name("OpenMP worker"), LEVER_MARK_THREAD_NAME, 0);
}

static void on_parallel_begin(union ompt_data *task, const void *frame, union ompt_data *parallel,
			      unsigned threads, int flags, const void *code)
{
	(void)task, (void)frame, (void)threads, (void)flags;
	parallel->code = code;
}

static void on_implicit_task(int endpoint, union ompt_data *parallel, union ompt_data *task,
			     unsigned threads, unsigned index, int flags)
{
	uint64_t owner = (uintptr_t)task;

	(void)threads, (void)index;
	if (flags & TASK_INITIAL)
		return;
	if (endpoint == SCOPE_BEGIN) {
		task->code = parallel ? parallel->code : NULL;
		begin(SPAN_PARALLEL, task->code, owner);
	} else {
		end(SPAN_PARALLEL, owner);
	}
}

static void on_work(int kind, int endpoint, union ompt_data *parallel, union ompt_data *task,
		    uint64_t count, const void *code)
{
	(void)parallel, (void)task, (void)count;
	if (kind == WORK_SINGLE_OTHER || kind < 0 || kind >= 16)
		return;
	if (endpoint == SCOPE_BEGIN)
		begin(SPAN_WORK + (unsigned)kind, code, 0);
	else if (endpoint == SCOPE_END)
		end(SPAN_WORK + (unsigned)kind, 0);
}

/* Before LLVM 15 the last barrier of a region has the region's code location, or none. */
static bool is_last_barrier(int kind, const union ompt_data *task, const void *code)
{
	return kind == BARRIER_IMPLICIT_PARALLEL || kind == BARRIER_TEAMS ||
	       (kind == BARRIER_IMPLICIT && task && (!code || code == task->code));
}

/* The last barrier of a region ends the thread's part, too. */
static void on_sync_region(int kind, int endpoint, union ompt_data *parallel, union ompt_data *task,
			   const void *code)
{
	(void)parallel;
	if (kind < 0 || kind >= 16)
		return;
	if (endpoint == SCOPE_END) {
		end(SPAN_SYNC + (unsigned)kind, 0);
		return;
	}
	if (endpoint != SCOPE_BEGIN)
		return;
	if (is_last_barrier(kind, task, code) && task) {
		end(SPAN_PARALLEL, (uintptr_t)task);
		code = task->code;
	}
	begin(SPAN_SYNC + (unsigned)kind, code, 0);
}

static void on_task_create(union ompt_data *task, const void *frame, union ompt_data *created,
			   int flags, int has_dependences, const void *code)
{
	(void)task, (void)frame, (void)has_dependences;
	if (flags & TASK_EXPLICIT)
		created->value = EXPLICIT_TASK | (uintptr_t)code;
}

/* The span of a task that another task interrupts stays open meanwhile. */
static void on_task_schedule(union ompt_data *before, int status, union ompt_data *next)
{
	if (before && before->value & EXPLICIT_TASK &&
	    (status == TASK_COMPLETE || status == TASK_CANCEL))
		end(SPAN_TASK, (uintptr_t)before);
	if (next && next->value & EXPLICIT_TASK && !(next->value & STARTED_TASK)) {
		const void *code = (const void *)(uintptr_t)(next->value & CODE_MASK);
		next->value |= STARTED_TASK;
		begin(SPAN_TASK, code, (uintptr_t)next);
	}
}

/* Attempts (omp_test_lock) may end without the lock. */
static bool is_waited_for(int kind)
{
	return kind == MUTEX_LOCK || kind == MUTEX_NEST_LOCK || kind == MUTEX_CRITICAL ||
	       kind == MUTEX_ORDERED;
}

static void on_mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t id,
			     const void *code)
{
	(void)hint, (void)implementation, (void)id;
	if (is_waited_for(kind))
		begin(SPAN_MUTEX + (unsigned)kind, code, 0);
}

static void on_mutex_acquired(int kind, uint64_t id, const void *code)
{
	(void)id, (void)code;
	if (is_waited_for(kind))
		end(SPAN_MUTEX + (unsigned)kind, 0);
}

/* ---- attaching ---- */

static int initialize(ompt_lookup lookup, int device, union ompt_data *data)
{
	static const struct {
		int event;
		ompt_function function;
	} callbacks[] = {
#define CALLBACK(event, function) {event, (ompt_function)(function)}
		CALLBACK(ON_THREAD_BEGIN, on_thread_begin),
		CALLBACK(ON_PARALLEL_BEGIN, on_parallel_begin),
		CALLBACK(ON_IMPLICIT_TASK, on_implicit_task),
		CALLBACK(ON_WORK, on_work),
		CALLBACK(ON_SYNC_REGION, on_sync_region),
		CALLBACK(ON_TASK_CREATE, on_task_create),
		CALLBACK(ON_TASK_SCHEDULE, on_task_schedule),
		CALLBACK(ON_MUTEX_ACQUIRE, on_mutex_acquire),
		CALLBACK(ON_MUTEX_ACQUIRED, on_mutex_acquired),
#undef CALLBACK
	};
	int (*set)(int, ompt_function) = (int (*)(int, ompt_function))lookup("ompt_set_callback");

	(void)device, (void)data;
	for (size_t i = 0; set && i < sizeof(callbacks) / sizeof(callbacks[0]); i++)
		set(callbacks[i].event, callbacks[i].function);
	return set != NULL;
}

static void finalize(union ompt_data *data)
{
	(void)data;
}

/* NULL: no trace, and the runtime does not call back. */
struct ompt_tool *ompt_start_tool(unsigned version, const char *runtime)
{
	static struct ompt_tool tool = {.initialize = initialize, .finalize = finalize};

	(void)version, (void)runtime;
	return shim_is_traced() ? &tool : NULL;
}
