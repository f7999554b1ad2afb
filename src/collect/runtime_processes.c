/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runtime_processes - the program's processes, as they enter themselves in the shared page, and what
 * is mapped in them, as /proc tells.
 */
#include "collect/runtime_engine.h"

#include "base/clock.h"
#include "base/own.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

#define LOOK_AGAIN_NS 50000000ull       /* a process that asks for what is not there */
#define ANNOUNCE_AGAIN_NS 2000000000ull /* a file that could not be opened */
#define DESCRIPTORS_MOST 256            /* processes above that are asked for by their id */

struct runtime_file *runtime_file_of(struct runtime_engine *runtime, const struct kernel_file *file)
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
		return known ? known->object : KERNEL_OBJECT_UNKNOWN;
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
	struct kernel_file file;
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
struct look {
	struct runtime_mapping mappings[RUNTIME_MAPPINGS_MOST];
	size_t count;
	struct runtime_breakpoint breakpoints[RUNTIME_BREAKPOINTS_MOST];
};

static void read_mappings(struct runtime_engine *runtime, const struct collector_handler *handler,
			  uint32_t pid, struct look *look)
{
	AUTO(text) char *path = text_format("/proc/%" PRIu32 "/maps", pid);
	AUTO(file) FILE *maps = fopen(path, "re");
	AUTO(text) char *text = NULL;
	size_t room = 0;

	look->count = 0;
	memset(look->breakpoints, 0, sizeof(look->breakpoints));
	while (maps && look->count < RUNTIME_MAPPINGS_MOST && getline(&text, &room, maps) > 0) {
		struct line line = {0};
		if (!read_line(text, &line))
			continue;
		bool is_code = strchr(line.rights, 'x');
		if (line.file.inode && (is_code || strchr(line.rights, 'w')))
			runtime_points_meet(runtime, &line.file, line.path, &line.mapping, is_code,
					    look->breakpoints);
		if (!is_code)
			continue;
		const struct kernel_object_event event = {.kind = KERNEL_EVENT_OBJECT,
							  .tgid = pid,
							  .file = line.file,
							  .start = line.mapping.start,
							  .end = line.mapping.end};
		line.mapping.object = line.file.inode ? object_of(runtime, handler, &event) :
							KERNEL_OBJECT_NO_FILE;
		look->mappings[look->count++] = line.mapping;
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
			struct runtime_process *process, struct runtime_seen *seen)
{
	static struct look look;
	uint64_t now = clock_now_ns();
	uint32_t image = __atomic_load_n(&process->image, __ATOMIC_ACQUIRE);
	bool is_new_image = image != process->mapped_image;

	if (!is_new_image && seen->places == runtime->place_count &&
	    (!__atomic_load_n(&process->wants, __ATOMIC_ACQUIRE) ||
	     now - seen->mapped_ns < LOOK_AGAIN_NS))
		return;
	__atomic_store_n(&process->wants, 0, __ATOMIC_RELEASE);
	seen->mapped_ns = now;
	seen->places = runtime->place_count;
	read_mappings(runtime, handler, seen->pid, &look);
	if (!look.count)
		return;
	post_breakpoints(process, look.breakpoints, is_new_image);
	post_mappings(process, look.mappings, look.count, image);
}

static void tell(const struct collector_handler *handler, uint32_t kind, uint32_t pid)
{
	struct kernel_process_event event = {.kind = kind, .tgid = pid};
	handler->process(handler->context, &event);
}

static void meet(struct runtime_engine *runtime, const struct collector_handler *handler,
		 struct runtime_seen *seen, uint32_t pid)
{
	bool has_room = seen - runtime->seen < DESCRIPTORS_MOST;

	*seen = (struct runtime_seen){.pid = pid};
	seen->pidfd = has_room ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	if (pid == runtime->main_pid)
		runtime->has_met_main = true;
	else
		tell(handler, KERNEL_EVENT_FORK, pid);
}

static bool has_ended(const struct runtime_seen *seen)
{
	struct pollfd look = {.fd = seen->pidfd, .events = POLLIN};

	if (seen->pidfd >= 0)
		return poll(&look, 1, 0) > 0;
	return kill((pid_t)seen->pid, 0) && errno == ESRCH;
}

static void forget(struct runtime_seen *seen)
{
	if (seen->pid && seen->pidfd >= 0)
		close(seen->pidfd);
	*seen = (struct runtime_seen){.pidfd = -1};
}

/* Its edges may still be read in the open window; then the entry is given to another one. */
static void bury(struct runtime_engine *runtime, const struct collector_handler *handler,
		 struct runtime_process *process, struct runtime_seen *seen)
{
	if (!seen->has_ended)
		tell(handler, KERNEL_EVENT_EXIT, seen->pid);
	seen->has_ended = true;
	if (runtime->page->settings.window)
		return;
	uint32_t pid = seen->pid;
	__atomic_compare_exchange_n(&process->pid, &pid, 0, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_RELAXED);
	forget(seen);
}

unsigned runtime_processes_used(const struct runtime_engine *runtime)
{
	uint32_t used = __atomic_load_n(&runtime->page->processes_used, __ATOMIC_ACQUIRE);
	return used < RUNTIME_PROCESSES_MOST ? used : RUNTIME_PROCESSES_MOST;
}

void runtime_processes_look(struct runtime_engine *runtime, const struct collector_handler *handler)
{
	for (uint32_t i = 0; i < runtime_processes_used(runtime); i++) {
		struct runtime_process *process = &runtime->page->processes[i];
		struct runtime_seen *seen = &runtime->seen[i];
		uint32_t pid = __atomic_load_n(&process->pid, __ATOMIC_ACQUIRE);
		if (!pid || pid > INT32_MAX)
			continue;
		if (seen->pid != pid) {
			forget(seen);
			meet(runtime, handler, seen, pid);
		}
		if (process->sampler == RUNTIME_SAMPLER_TIMER) {
			runtime->has_met_timers = true;
			runtime->refused = process->refused;
		}
		if (has_ended(seen))
			bury(runtime, handler, process, seen);
		else
			map_process(runtime, handler, process, seen);
	}
}

void runtime_processes_post(struct runtime_engine *runtime)
{
	static struct look look;

	for (uint32_t i = 0; i < runtime_processes_used(runtime); i++) {
		struct runtime_process *process = &runtime->page->processes[i];
		uint32_t pid = __atomic_load_n(&process->pid, __ATOMIC_ACQUIRE);
		if (!pid || pid != runtime->seen[i].pid || process->mapped_image != process->image)
			continue;
		read_mappings(runtime, NULL, pid, &look);
		if (look.count)
			post_breakpoints(process, look.breakpoints, false);
		runtime->seen[i].places = runtime->place_count;
	}
}

void runtime_processes_close(struct runtime_engine *runtime)
{
	for (uint32_t i = 0; i < RUNTIME_PROCESSES_MOST; i++)
		forget(&runtime->seen[i]);
}
