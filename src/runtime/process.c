/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process - the constructor: maps the shared page, and takes an entry in it for this process.
 */
#include "runtime/runtime.h"

#include "runtime/interpose/processes.h"
#include "runtime/interpose/signals.h"
#include "runtime/progress.h"
#include "runtime/thread.h"
#include "runtime/wake.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#define AWAIT_MOST_MS 300

extern void *__libc_stack_end;

/* A free entry, taken; NULL: there is none. */
static struct runtime_process *find_free(void)
{
	for (uint32_t i = 0; i < RUNTIME_PROCESSES_MOST; i++) {
		__u32 none = 0, used = runtime_page->processes_used;
		if (!__atomic_compare_exchange_n(&runtime_page->processes[i].pid, &none,
						 RUNTIME_PID_TAKEN, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		while (used <= i &&
		       !__atomic_compare_exchange_n(&runtime_page->processes_used, &used, i + 1,
						    false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			;
		return &runtime_page->processes[i];
	}
	__atomic_fetch_add(&runtime_page->untracked, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* The entry from before an exec. */
static struct runtime_process *find_own(uint32_t pid)
{
	uint32_t used = runtime_page->processes_used;

	for (uint32_t i = 0; i < used && i < RUNTIME_PROCESSES_MOST; i++)
		if (__atomic_load_n(&runtime_page->processes[i].pid, __ATOMIC_ACQUIRE) == pid)
			return &runtime_page->processes[i];
	return NULL;
}

/* A forked child has the mappings of its parent. */
static void inherit(struct runtime_process *entry, const struct runtime_process *parent)
{
	uint32_t sequence = __atomic_load_n(&parent->sequence, __ATOMIC_ACQUIRE);
	uint32_t breakpoints = __atomic_load_n(&parent->breakpoint_sequence, __ATOMIC_ACQUIRE);

	entry->mapping_count = 0;
	if ((sequence | breakpoints) & 1 || parent->mapped_image != parent->image ||
	    parent->mapping_count > RUNTIME_MAPPINGS_MOST)
		return;
	__builtin_memcpy(entry->mappings, parent->mappings,
			 parent->mapping_count * sizeof(*parent->mappings));
	__builtin_memcpy(entry->breakpoints, parent->breakpoints, sizeof(entry->breakpoints));
	entry->mapping_count = parent->mapping_count;
	entry->breakpoint_sequence = breakpoints;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&parent->sequence, __ATOMIC_RELAXED) == sequence &&
	    __atomic_load_n(&parent->breakpoint_sequence, __ATOMIC_RELAXED) == breakpoints)
		entry->mapped_image = entry->image;
}

/*
 * This process's number as the engine knows it; 0: unknown. A namespace of process ids has others:
 * its 1 is never what is 1 outside. /proc/self is told as the file system's owner sees it, and the
 * shared page was opened in the same one.
 */
static uint32_t number_outside(const struct runtime_process *parent, uint32_t parent_pid)
{
	uint32_t pid = (uint32_t)lever_call_1(SYS_getpid, 0), found = 0;
	char text[16];
	const long arguments[6] = {AT_FDCWD, (long)"/proc/self", (long)text, sizeof(text), 0, 0};

	if (parent && parent->pid == parent_pid)
		return pid;
	long length = lever_system_call(SYS_readlinkat, arguments);
	for (long i = 0; i < length && text[i] >= '0' && text[i] <= '9'; i++)
		found = found * 10 + (uint32_t)(text[i] - '0');
	return found || parent ? found : pid;
}

static struct runtime_process *take_entry(const struct runtime_process *parent)
{
	uint32_t parent_pid = (uint32_t)lever_call_1(SYS_getppid, 0);
	uint32_t pid = number_outside(parent, parent_pid);
	struct runtime_process *entry = parent ? NULL : find_own(pid);

	if (!pid) {
		__atomic_fetch_add(&runtime_page->untracked, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	entry = entry ? entry : find_free();
	if (!entry)
		return NULL;
	entry->parent = parent ? parent->pid : parent_pid;
	entry->sampler = RUNTIME_SAMPLER_NONE;
	entry->running = 0;
	__atomic_fetch_add(&entry->image, 1, __ATOMIC_RELEASE);
	if (parent)
		inherit(entry, parent);
	__atomic_store_n(&entry->wants, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&entry->pid, pid, __ATOMIC_RELEASE);
	return entry;
}

/* Waits until the engine has posted the breakpoints, so that the first visits count. */
static void await_breakpoints(void)
{
	const struct timespec time = {.tv_nsec = 1000000};
	const long arguments[6] = {(long)&time, 0, 0, 0, 0, 0};

	for (int i = 0; i < AWAIT_MOST_MS && runtime_page->breakpoints &&
			__atomic_load_n(&runtime_process->mapped_image, __ATOMIC_ACQUIRE) !=
				runtime_process->image;
	     i++)
		lever_system_call(SYS_nanosleep, arguments);
}

static struct runtime_page *map_page(const char *path)
{
	const long open_arguments[6] = {AT_FDCWD, (long)path, O_RDWR | O_CLOEXEC, 0, 0, 0};
	long fd = lever_system_call(SYS_openat, open_arguments);
	struct runtime_page *page = NULL;

	if (fd < 0)
		return NULL;
	const long map_arguments[6] = {0, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0};
	long mapped = lever_system_call(SYS_mmap, map_arguments);
	lever_call_1(SYS_close, (unsigned long)fd);
	if (mapped < 0 && mapped > -4096)
		return NULL;
	page = (struct runtime_page *)mapped;
	if (page->magic == RUNTIME_MAGIC && page->version == RUNTIME_VERSION &&
	    page->size_bytes == sizeof(*page))
		return page;
	lever_call_3(SYS_munmap, (unsigned long)mapped, sizeof(*page), 0);
	return NULL;
}

static void after_fork(void)
{
	if (!runtime_page)
		return;
	runtime_process = take_entry(runtime_process);
	progress_fork();
	if (runtime_process)
		thread_fork();
	else
		thread_self.is_started = false;
}

/* As the program was started; threads that bind themselves to cores later are not followed. */
static uint32_t count_cores(void)
{
	uint64_t mask[64] = {0}; /* 4096 cores */
	long bytes = lever_call_3(SYS_sched_getaffinity, 0, sizeof(mask), (unsigned long)mask);
	uint32_t cores = 0;

	for (unsigned i = 0; bytes > 0 && i < sizeof(mask) / sizeof(*mask); i++)
		for (uint64_t left = mask[i]; left; left &= left - 1)
			cores++;
	return cores ? cores : runtime_page->cpus ? runtime_page->cpus : 1;
}

static bool process_open(void)
{
	const char *path = secure_getenv(RUNTIME_VARIABLE);

	runtime_page = path ? map_page(path) : NULL;
	if (!runtime_page)
		return false;
	runtime_process = take_entry(NULL);
	runtime_cores = count_cores();
	if (!runtime_process) {
		runtime_page = NULL;
		return false;
	}
	pthread_atfork(NULL, NULL, after_fork);
	return true;
}

__attribute__((constructor)) static void open_runtime(void)
{
	if (!process_open())
		return;
	processes_remember();
	signals_open();
	signals_let_through();
	await_breakpoints();
	thread_begin((uintptr_t)__libc_stack_end, NULL);
}

/* Adds the last counts; other threads may still run. */
__attribute__((destructor)) static void close_runtime(void)
{
	if (!runtime_page || !thread_self.is_started)
		return;
	pay_before_wake();
	progress_poll(time_now());
}
