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

struct runtime_file *runtime_file_of(struct runtime_engine *runtime, const struct kernel_file *file)
{
	for (size_t i = 0; i < runtime->files.count; i++)
		if (runtime->files.items[i].file.inode == file->inode &&
		    runtime->files.items[i].file.device == file->device)
			return &runtime->files.items[i];
	return NULL;
}

/* The number of a mapped file; announces it if it has none. */
static uint32_t object_of(struct runtime_engine *runtime, const struct collector_handler *handler,
			  const struct kernel_object_event *event)
{
	struct runtime_file *known = runtime_file_of(runtime, &event->file);
	uint64_t now = clock_now_ns();

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

static bool read_mapping(const char *line, struct runtime_mapping *mapping,
			 struct kernel_object_event *event)
{
	char rights[8];
	uint32_t major, minor;
	uint64_t inode;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %" SCNx32 ":%" SCNx32 " %" SCNu64,
		   (uint64_t *)&mapping->start, (uint64_t *)&mapping->end, rights,
		   (uint64_t *)&mapping->offset, &major, &minor, &inode) != 7 ||
	    !strchr(rights, 'x') || mapping->start >> 63)
		return false;
	event->file = (struct kernel_file){.inode = inode, .device = major << 20 | minor};
	event->start = mapping->start;
	event->end = mapping->end;
	return true;
}

static size_t read_mappings(struct runtime_engine *runtime, const struct collector_handler *handler,
			    uint32_t pid, struct runtime_mapping *mappings)
{
	AUTO(text) char *path = text_format("/proc/%" PRIu32 "/maps", pid);
	AUTO(file) FILE *maps = fopen(path, "re");
	AUTO(text) char *line = NULL;
	size_t room = 0, count = 0;

	while (maps && count < RUNTIME_MAPPINGS_MOST && getline(&line, &room, maps) > 0) {
		struct kernel_object_event event = {.kind = KERNEL_EVENT_OBJECT, .tgid = pid};
		struct runtime_mapping *mapping = &mappings[count];
		if (!read_mapping(line, mapping, &event))
			continue;
		mapping->object = KERNEL_OBJECT_NO_FILE;
		if (event.file.inode)
			mapping->object = object_of(runtime, handler, &event);
		mapping->pad = 0;
		count++;
	}
	return count;
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
	static struct runtime_mapping mappings[RUNTIME_MAPPINGS_MOST];
	uint64_t now = clock_now_ns();
	uint32_t image = __atomic_load_n(&process->image, __ATOMIC_ACQUIRE);

	if (image == process->mapped_image &&
	    (!__atomic_load_n(&process->wants, __ATOMIC_ACQUIRE) ||
	     now - seen->mapped_ns < LOOK_AGAIN_NS))
		return;
	__atomic_store_n(&process->wants, 0, __ATOMIC_RELEASE);
	seen->mapped_ns = now;
	size_t count = read_mappings(runtime, handler, seen->pid, mappings);
	if (count)
		post_mappings(process, mappings, count, image);
}

static void tell(const struct collector_handler *handler, uint32_t kind, uint32_t pid)
{
	struct kernel_process_event event = {.kind = kind, .tgid = pid};
	handler->process(handler->context, &event);
}

static void meet(struct runtime_engine *runtime, const struct collector_handler *handler,
		 struct runtime_seen *seen, uint32_t pid)
{
	*seen = (struct runtime_seen){.pid = pid};
	seen->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
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

void runtime_processes_look(struct runtime_engine *runtime, const struct collector_handler *handler)
{
	for (uint32_t i = 0; i < RUNTIME_PROCESSES_MOST; i++) {
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

void runtime_processes_close(struct runtime_engine *runtime)
{
	for (uint32_t i = 0; i < RUNTIME_PROCESSES_MOST; i++)
		forget(&runtime->seen[i]);
}
