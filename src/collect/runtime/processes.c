/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runtime_processes - the program's processes, as they enter themselves in the shared page, and what
 * is mapped in them, as /proc tells.
 */
#include "collect/runtime/engine.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

#define MAPS_AGAIN_NS 50000000ull       /* a process that asks for what is not there */
#define ANNOUNCE_AGAIN_NS 2000000000ull /* a file that could not be opened */
#define DESCRIPTORS_MOST 256            /* processes above that are asked for by their id */

struct runtime_file *runtime_file_of(struct runtime_engine *runtime, const struct wire_file *file)
{
	for (size_t i = 0; i < runtime->files.count; i++)
		if (runtime->files.items[i].file.inode == file->inode &&
		    runtime->files.items[i].file.device == file->device)
			return &runtime->files.items[i];
	return NULL;
}

/* The number of a mapped file; announces it if it has none, and there is somebody to be told. */
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

struct line {
	struct runtime_mapping mapping;
	struct wire_file file;
	char rights[8];
	const char *path; /* in the line that was read; "" if it has none */
};

static bool read_line(char *text, struct line *line)
{
	uint32_t major, minor;
	int at = 0;

	if (sscanf(text,
		   "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %" SCNx32 ":%" SCNx32 " %" SCNu64 " %n",
		   (uint64_t *)&line->mapping.start, (uint64_t *)&line->mapping.end, line->rights,
		   (uint64_t *)&line->mapping.offset, &major, &minor, (uint64_t *)&line->file.inode,
		   &at) != 7 ||
	    line->mapping.start >> 63)
		return false;
	text[strcspn(text, "\n")] = 0;
	line->path = at ? text + at : "";
	line->file.device = major << 20 | minor;
	return true;
}

/* What is mapped in one process. */
struct mapped_code {
	struct runtime_mapping mappings[RUNTIME_MAPPINGS_MOST];
	size_t count;
	struct runtime_breakpoint breakpoints[RUNTIME_BREAKPOINTS_MOST];
};

static void read_mappings(struct runtime_engine *runtime, const struct collector_handler *handler,
			  uint32_t pid, struct mapped_code *mapped_code)
{
	AUTO(text) char *path = text_format("/proc/%" PRIu32 "/maps", pid);
	AUTO(file) FILE *maps = fopen(path, "re");
	AUTO(text) char *text = NULL;
	size_t room = 0;

	mapped_code->count = 0;
	memset(mapped_code->breakpoints, 0, sizeof(mapped_code->breakpoints));
	while (maps && mapped_code->count < RUNTIME_MAPPINGS_MOST &&
	       getline(&text, &room, maps) > 0) {
		struct line line = {0};
		if (!read_line(text, &line))
			continue;
		bool is_code = strchr(line.rights, 'x');
		if (line.file.inode && (is_code || strchr(line.rights, 'w')))
			runtime_points_resolve(runtime, &line.file, line.path, &line.mapping,
					       is_code, mapped_code->breakpoints);
		if (!is_code)
			continue;
		const struct kernel_object_event event = {.kind = KERNEL_EVENT_OBJECT,
							  .tgid = pid,
							  .file = line.file,
							  .start = line.mapping.start,
							  .end = line.mapping.end};
		line.mapping.object =
			line.file.inode ? object_of(runtime, handler, &event) : WIRE_OBJECT_NO_FILE;
		mapped_code->mappings[mapped_code->count++] = line.mapping;
	}
}

/* Only if they are others, since each thread that sees a change sets its breakpoints anew. */
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

/* The program reads at any time: a changed or odd sequence makes it read again. */
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
			struct runtime_process *process, struct runtime_process_state *states)
{
	static struct mapped_code mapped_code;
	uint64_t now = clock_now_ns();
	uint32_t image = __atomic_load_n(&process->image, __ATOMIC_ACQUIRE);
	bool is_new_image = image != process->mapped_image;

	if (!is_new_image && states->code_points == runtime->code_point_count &&
	    (!__atomic_load_n(&process->wants, __ATOMIC_ACQUIRE) ||
	     now - states->mapped_ns < MAPS_AGAIN_NS))
		return;
	__atomic_store_n(&process->wants, 0, __ATOMIC_RELEASE);
	states->mapped_ns = now;
	states->code_points = runtime->code_point_count;
	read_mappings(runtime, handler, states->pid, &mapped_code);
	if (!mapped_code.count)
		return;
	post_breakpoints(process, mapped_code.breakpoints, is_new_image);
	post_mappings(process, mapped_code.mappings, mapped_code.count, image);
}

static void report_process(const struct collector_handler *handler, uint32_t kind, uint32_t pid)
{
	struct kernel_process_event event = {.kind = kind, .tgid = pid};
	handler->process(handler->context, &event);
}

static void add_process(struct runtime_engine *runtime, const struct collector_handler *handler,
			struct runtime_process_state *states, uint32_t pid)
{
	bool has_room = states - runtime->states < DESCRIPTORS_MOST;

	*states = (struct runtime_process_state){.pid = pid};
	states->pidfd = has_room ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	if (pid == runtime->main_pid)
		runtime->has_seen_main = true;
	else
		report_process(handler, KERNEL_EVENT_FORK, pid);
}

static bool has_ended(const struct runtime_process_state *states)
{
	struct pollfd mapped_code = {.fd = states->pidfd, .events = POLLIN};

	if (states->pidfd >= 0)
		return poll(&mapped_code, 1, 0) > 0;
	return kill((pid_t)states->pid, 0) && errno == ESRCH;
}

static void clear_state(struct runtime_process_state *states)
{
	if (states->pid && states->pidfd >= 0)
		close(states->pidfd);
	*states = (struct runtime_process_state){.pidfd = -1};
}

/* Its edges may still be read in the open window; then the entry is given to another one. */
static void retire_process(struct runtime_engine *runtime, const struct collector_handler *handler,
			   struct runtime_process *process, struct runtime_process_state *states)
{
	if (!states->has_ended)
		report_process(handler, KERNEL_EVENT_EXIT, states->pid);
	states->has_ended = true;
	if (runtime->page->settings.window)
		return;
	uint32_t pid = states->pid;
	__atomic_compare_exchange_n(&process->pid, &pid, 0, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_RELAXED);
	clear_state(states);
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
		struct runtime_process_state *states = &runtime->states[i];
		uint32_t pid = __atomic_load_n(&process->pid, __ATOMIC_ACQUIRE);
		if (!pid || pid > INT32_MAX)
			continue;
		if (states->pid != pid) {
			clear_state(states);
			add_process(runtime, handler, states, pid);
		}
		if (process->sampler == RUNTIME_SAMPLER_TIMER) {
			runtime->has_seen_timers = true;
			runtime->refused = process->refused;
		}
		if (has_ended(states))
			retire_process(runtime, handler, process, states);
		else
			map_process(runtime, handler, process, states);
	}
}

void runtime_processes_publish(struct runtime_engine *runtime)
{
	static struct mapped_code mapped_code;

	for (uint32_t i = 0; i < runtime_processes_used(runtime); i++) {
		struct runtime_process *process = &runtime->page->processes[i];
		uint32_t pid = __atomic_load_n(&process->pid, __ATOMIC_ACQUIRE);
		if (!pid || pid != runtime->states[i].pid ||
		    process->mapped_image != process->image)
			continue;
		read_mappings(runtime, NULL, pid, &mapped_code);
		if (mapped_code.count)
			post_breakpoints(process, mapped_code.breakpoints, false);
		runtime->states[i].code_points = runtime->code_point_count;
	}
}

void runtime_processes_close(struct runtime_engine *runtime)
{
	for (uint32_t i = 0; i < RUNTIME_PROCESSES_MOST; i++)
		clear_state(&runtime->states[i]);
}
