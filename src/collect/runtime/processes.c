/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * processes - the program's processes, which enter themselves in the shared page, and what is
 * mapped in them.
 */
#include "collect/runtime/engine.h"

#include "base/clock.h"
#include "collect/process/maps.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

#define MAPS_AGAIN_NS 50000000ull       /* at most so often for one process */
#define ANNOUNCE_AGAIN_NS 2000000000ull /* a file that could not be opened */
#define DESCRIPTORS_MOST 256            /* for further processes the id must do */

struct runtime_file *runtime_file_of(struct runtime_engine *runtime, const struct wire_file *file)
{
	for (size_t i = 0; i < runtime->files.count; i++)
		if (runtime->files.items[i].file.inode == file->inode &&
		    runtime->files.items[i].file.device == file->device)
			return &runtime->files.items[i];
	return NULL;
}

/* The number of a mapped file; announces it if it has none and there is a handler. */
static uint32_t object_of(struct runtime_engine *runtime, const struct collector_handler *handler,
			  const struct kernel_object_event *event)
{
	struct runtime_file *known = runtime_file_of(runtime, &event->file);
	uint64_t now = clock_now_ns();

	if (!handler)
		return known ? known->object : WIRE_OBJECT_UNKNOWN;
	if (known && (known->object || now - known->announced_ns < ANNOUNCE_AGAIN_NS))
		return known->object;
	if (!known) {
		known = array_add(&runtime->files);
		known->file = event->file;
	}
	known->announced_ns = now;
	handler->object(handler->context, event);
	return runtime_file_of(runtime, &event->file)->object;
}

/* What is mapped in one process. */
struct process_code {
	struct runtime_mapping mappings[RUNTIME_MAPPINGS_MOST];
	size_t count;
	bool is_cut; /* there are more */
	struct runtime_breakpoint breakpoints[RUNTIME_BREAKPOINTS_MOST];
};

/* What the kernel maps by itself is no code that the program made. */
static uint32_t object_without_file(struct runtime_engine *runtime, const struct maps_line *line,
				    struct runtime_mapping *mapping)
{
	const struct wire_file vdso = {.inode = WIRE_INODE_VDSO};
	const struct runtime_file *known;

	if (!strncmp(line->path, "[uprobes", strlen("[uprobes")))
		return WIRE_OBJECT_UNKNOWN;
	if (strcmp(line->path, "[vdso]") != 0)
		return WIRE_OBJECT_NO_FILE;
	mapping->offset = 0;
	known = runtime_file_of(runtime, &vdso);
	return known ? known->object : WIRE_OBJECT_UNKNOWN;
}

static void read_code(struct runtime_engine *runtime, const struct collector_handler *handler,
		      uint32_t pid, struct process_code *code)
{
	AUTO(maps) struct maps *maps = maps_open((pid_t)pid);
	struct maps_line line;

	code->count = 0;
	code->is_cut = false;
	memset(code->breakpoints, 0, sizeof(code->breakpoints));
	while (maps_next(maps, &line)) {
		struct runtime_mapping mapping = {.start = line.start,
						  .end = line.end,
						  .offset = line.offset};
		const struct kernel_object_event event = {.kind = KERNEL_EVENT_OBJECT,
							  .tgid = pid,
							  .file = line.file,
							  .start = line.start,
							  .end = line.end};
		if (line.start >> 63) /* the kernel's vsyscall page */
			continue;
		if (line.file.inode && (line.is_code || line.is_writable))
			runtime_code_points_resolve(runtime, &line, code->breakpoints);
		if (!line.is_code)
			continue;
		code->is_cut = code->count == RUNTIME_MAPPINGS_MOST;
		if (code->is_cut)
			return;
		mapping.object = line.file.inode ? object_of(runtime, handler, &event) :
						   object_without_file(runtime, &line, &mapping);
		code->mappings[code->count++] = mapping;
	}
}

/* Only if they differ: each thread that sees a change sets its breakpoints anew. */
static void post_breakpoints(struct runtime_process *process,
			     const struct runtime_breakpoint *breakpoints, bool is_new_image)
{
	size_t size = sizeof(process->breakpoints);

	if (!is_new_image && !memcmp(process->breakpoints, breakpoints, size))
		return;
	__atomic_fetch_add(&process->breakpoint_sequence, 1, __ATOMIC_ACQ_REL);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	memcpy(process->breakpoints, breakpoints, size);
	__atomic_fetch_add(&process->breakpoint_sequence, 1, __ATOMIC_RELEASE);
}

/* The program reads at any time; it reads again if the sequence is odd or has changed. */
static void post_mappings(struct runtime_process *process, const struct runtime_mapping *mappings,
			  size_t count, uint32_t image)
{
	__atomic_fetch_add(&process->sequence, 1, __ATOMIC_ACQ_REL);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	memcpy(process->mappings, mappings, count * sizeof(*mappings));
	__atomic_store_n(&process->mapping_count, (uint32_t)count, __ATOMIC_RELAXED);
	__atomic_store_n(&process->mapped_image, image, __ATOMIC_RELAXED);
	__atomic_fetch_add(&process->sequence, 1, __ATOMIC_RELEASE);
}

static void map_process(struct runtime_engine *runtime, const struct collector_handler *handler,
			struct runtime_process *process, struct runtime_process_state *state)
{
	static struct process_code code;
	uint64_t now = clock_now_ns();
	uint32_t image = __atomic_load_n(&process->image, __ATOMIC_ACQUIRE);
	bool is_new_image = image != process->mapped_image;

	if (!is_new_image && state->code_points == runtime->code_point_count &&
	    (!__atomic_load_n(&process->wants, __ATOMIC_ACQUIRE) ||
	     now - state->mapped_ns < MAPS_AGAIN_NS))
		return;
	__atomic_store_n(&process->wants, 0, __ATOMIC_RELEASE);
	state->mapped_ns = now;
	state->code_points = runtime->code_point_count;
	read_code(runtime, handler, state->pid, &code);
	if (!code.count)
		return;
	runtime->has_cut_mappings |= code.is_cut;
	post_breakpoints(process, code.breakpoints, is_new_image);
	post_mappings(process, code.mappings, code.count, image);
}

static void report_process(const struct collector_handler *handler, uint32_t kind, uint32_t pid)
{
	struct kernel_process_event event = {.kind = kind, .tgid = pid};
	handler->process(handler->context, &event);
}

static void add_process(struct runtime_engine *runtime, const struct collector_handler *handler,
			struct runtime_process_state *state, uint32_t pid)
{
	bool has_room = state - runtime->states < DESCRIPTORS_MOST;

	*state = (struct runtime_process_state){.pid = pid};
	state->pidfd = has_room ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	if (pid == runtime->main_pid)
		runtime->has_seen_main = true;
	else
		report_process(handler, KERNEL_EVENT_FORK, pid);
}

static bool has_ended(const struct runtime_process_state *state)
{
	struct pollfd ended = {.fd = state->pidfd, .events = POLLIN};

	if (state->pidfd >= 0)
		return poll(&ended, 1, 0) > 0;
	return kill((pid_t)state->pid, 0) && errno == ESRCH;
}

static void clear_state(struct runtime_process_state *state)
{
	if (state->pid && state->pidfd >= 0)
		close(state->pidfd);
	*state = (struct runtime_process_state){.pidfd = -1};
}

/* The open window may still read its edges: only after that the entry is freed. */
static void retire_process(struct runtime_engine *runtime, const struct collector_handler *handler,
			   struct runtime_process *process, struct runtime_process_state *state)
{
	if (!state->has_ended)
		report_process(handler, KERNEL_EVENT_EXIT, state->pid);
	state->has_ended = true;
	if (runtime->page->settings.window)
		return;
	uint32_t pid = state->pid;
	__atomic_compare_exchange_n(&process->pid, &pid, 0, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_RELAXED);
	clear_state(state);
}

unsigned runtime_processes_used(const struct runtime_engine *runtime)
{
	uint32_t used = __atomic_load_n(&runtime->page->processes_used, __ATOMIC_ACQUIRE);
	return used < RUNTIME_PROCESSES_MOST ? used : RUNTIME_PROCESSES_MOST;
}

void runtime_processes_poll(struct runtime_engine *runtime, const struct collector_handler *handler)
{
	for (uint32_t i = 0; i < runtime_processes_used(runtime); i++) {
		struct runtime_process *process = &runtime->page->processes[i];
		struct runtime_process_state *state = &runtime->states[i];
		uint32_t pid = __atomic_load_n(&process->pid, __ATOMIC_ACQUIRE);
		if (!pid || pid > INT32_MAX)
			continue;
		if (state->pid != pid) {
			clear_state(state);
			add_process(runtime, handler, state, pid);
		}
		if (process->sampler == RUNTIME_SAMPLER_TIMER) {
			runtime->has_seen_timers = true;
			runtime->refused = process->refused;
		}
		if (has_ended(state))
			retire_process(runtime, handler, process, state);
		else
			map_process(runtime, handler, process, state);
	}
}

void runtime_processes_publish(struct runtime_engine *runtime)
{
	static struct process_code code;

	for (uint32_t i = 0; i < runtime_processes_used(runtime); i++) {
		struct runtime_process *process = &runtime->page->processes[i];
		uint32_t pid = __atomic_load_n(&process->pid, __ATOMIC_ACQUIRE);
		if (!pid || pid != runtime->states[i].pid ||
		    process->mapped_image != process->image)
			continue;
		read_code(runtime, NULL, pid, &code);
		if (code.count)
			post_breakpoints(process, code.breakpoints, false);
		runtime->states[i].code_points = runtime->code_point_count;
	}
}

void runtime_processes_close(struct runtime_engine *runtime)
{
	for (uint32_t i = 0; i < RUNTIME_PROCESSES_MOST; i++)
		clear_state(&runtime->states[i]);
}
