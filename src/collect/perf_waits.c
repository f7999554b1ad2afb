/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_waits - reads /proc/PID/task/TID/syscall and the memory above the stack pointer. */
#include "collect/perf_waits.h"

#include "base/memory.h"
#include "base/own.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/uio.h>

#define PAGES_MOST (PERF_WAITS_STACK_BYTES / 4096 + 1)

struct look {
	int system_call; /* -1: none */
	uint64_t argument, sp, ip;
};

static bool read_call(pid_t process, pid_t thread, struct look *look)
{
	AUTO(text) char *name = text_format("/proc/%d/task/%d/syscall", (int)process, (int)thread);
	AUTO(fd) int file = open(name, O_RDONLY | O_CLOEXEC);
	char words[512];
	ssize_t length = file >= 0 ? read(file, words, sizeof(words) - 1) : -1;

	if (length <= 0)
		return false;
	words[length] = 0;
	*look = (struct look){.system_call = -1};
	if (sscanf(words, "-1 %" SCNx64 " %" SCNx64, &look->sp, &look->ip) == 2)
		return true;
	return sscanf(words, "%d %" SCNx64 " %*x %*x %*x %*x %*x %" SCNx64 " %" SCNx64,
		      &look->system_call, &look->argument, &look->sp, &look->ip) == 4;
}

bool perf_wait_look(pid_t process, pid_t thread, struct perf_wait *wait)
{
	struct iovec pages[PAGES_MOST], into;
	size_t count = 0, page = (size_t)getpagesize();

	struct look look;
	if (!read_call(process, thread, &look))
		return false;
	wait->system_call = look.system_call;
	wait->argument = look.argument;
	wait->frame = (struct stack_frame){.ip = look.ip, .sp = look.sp};
	/* Page by page: a read that meets the stack's end gives the pages before it. */
	uint64_t at = wait->frame.sp, end = at + PERF_WAITS_STACK_BYTES;
	for (; at < end && count < PAGES_MOST; count++) {
		uint64_t next = (at / page + 1) * page;
		next = next < end ? next : end;
		pages[count] = (struct iovec){(void *)(uintptr_t)at, next - at};
		at = next;
	}
	into = (struct iovec){wait->stack, PERF_WAITS_STACK_BYTES};
	ssize_t bytes = process_vm_readv(process, &into, 1, pages, count, 0);
	wait->stack_bytes = bytes > 0 ? (uint64_t)bytes : 0;
	/* It may have gone on meanwhile: then stack and call do not belong together. */
	struct look again = {0};
	return read_call(process, thread, &again) && again.sp == wait->frame.sp &&
	       again.ip == wait->frame.ip && again.system_call == wait->system_call;
}
