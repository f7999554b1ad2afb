/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process - finds the engine's page when the program starts, and takes an entry in it.
 *
 * runtime.h tells the law of this folder.
 */
#include "runtime/runtime.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

struct runtime_page *runtime_page;
struct runtime_process *runtime_process;

extern void *__libc_stack_end;

static struct runtime_process *take_entry(uint32_t pid)
{
	struct runtime_process *free_entry = NULL;

	/* After an exec it has one already. */
	for (uint32_t i = 0; i < RUNTIME_PROCESSES_MOST; i++)
		if (__atomic_load_n(&runtime_page->processes[i].pid, __ATOMIC_ACQUIRE) == pid)
			free_entry = &runtime_page->processes[i];
	for (uint32_t i = 0; i < RUNTIME_PROCESSES_MOST && !free_entry; i++) {
		__u32 none = 0;
		if (__atomic_compare_exchange_n(&runtime_page->processes[i].pid, &none, pid, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			free_entry = &runtime_page->processes[i];
	}
	if (!free_entry) {
		__atomic_fetch_add(&runtime_page->untracked, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	free_entry->parent = (uint32_t)lever_call_1(SYS_getppid, 0);
	free_entry->sampler = RUNTIME_SAMPLER_NONE;
	free_entry->running = 0;
	__atomic_fetch_add(&free_entry->image, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&free_entry->wants, 1, __ATOMIC_RELEASE);
	return free_entry;
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
	runtime_process = take_entry((uint32_t)lever_call_1(SYS_getpid, 0));
	progress_fork();
	if (runtime_process)
		thread_fork();
	else
		thread_self.is_started = false;
}

bool process_open(void)
{
	const char *path = getenv(RUNTIME_VARIABLE);

	runtime_page = path ? map_page(path) : NULL;
	if (!runtime_page)
		return false;
	runtime_process = take_entry((uint32_t)lever_call_1(SYS_getpid, 0));
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
	thread_begin((uintptr_t)__libc_stack_end, 0, false);
}

/* The last counts, before the memory goes; other threads may still run. */
__attribute__((destructor)) static void close_runtime(void)
{
	if (!runtime_page || !thread_self.is_started)
		return;
	pause_before_wake();
	progress_observe(time_now());
}
