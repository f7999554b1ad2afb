/* SPDX-License-Identifier: BSD-2-Clause */
/* blocked_thread - reads /proc/PID/task/TID/syscall and the memory above the stack pointer. */
#include "collect/perf/blocked_thread.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/uio.h>

#define PAGES_MOST (BLOCKED_THREAD_STACK_BYTES / 4096 + 1)

struct system_call {
	int system_call; /* -1: none */
	uint64_t argument, sp, ip;
};

static bool read_call(pid_t process, pid_t thread, struct system_call *system_call)
{
	AUTO(text) char *name = text_format("/proc/%d/task/%d/syscall", (int)process, (int)thread);
	AUTO(fd) int file = open(name, O_RDONLY | O_CLOEXEC);
	char line[512];
	ssize_t length = file >= 0 ? read(file, line, sizeof(line) - 1) : -1;

	if (length <= 0)
		return false;
	line[length] = 0;
	*system_call = (struct system_call){.system_call = -1};
	if (sscanf(line, "-1 %" SCNx64 " %" SCNx64, &system_call->sp, &system_call->ip) == 2)
		return true;
	return sscanf(line, "%d %" SCNx64 " %*x %*x %*x %*x %*x %" SCNx64 " %" SCNx64,
		      &system_call->system_call, &system_call->argument, &system_call->sp,
		      &system_call->ip) == 4;
}

bool blocked_thread_read(pid_t process, pid_t thread, struct blocked_thread *wait)
{
	struct iovec pages[PAGES_MOST], into;
	size_t count = 0, page = (size_t)getpagesize();

	struct system_call system_call;
	if (!read_call(process, thread, &system_call))
		return false;
	wait->system_call = system_call.system_call;
	wait->argument = system_call.argument;
	wait->frame = (struct stack_frame){.ip = system_call.ip, .sp = system_call.sp};
	/* Page by page: a read that meets the stack's end gives the pages before it. */
	uint64_t at = wait->frame.sp, end = at + BLOCKED_THREAD_STACK_BYTES;
	for (; at < end && count < PAGES_MOST; count++) {
		uint64_t next = (at / page + 1) * page;
		next = next < end ? next : end;
		pages[count] = (struct iovec){(void *)(uintptr_t)at, next - at};
		at = next;
	}
	into = (struct iovec){wait->stack, BLOCKED_THREAD_STACK_BYTES};
	ssize_t bytes = process_vm_readv(process, &into, 1, pages, count, 0);
	wait->stack_bytes = bytes > 0 ? (uint64_t)bytes : 0;
	/* If it has run meanwhile, stack and system call do not belong together. */
	struct system_call again = {0};
	return read_call(process, thread, &again) && again.sp == wait->frame.sp &&
	       again.ip == wait->frame.ip && again.system_call == wait->system_call;
}
