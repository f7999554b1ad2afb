/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * proc - texts of /proc/PID, which hold names and paths that programs choose; and the headers of an
 * executable, which the runtime engine looks at before it starts one.
 *
 * Of a process that cannot exist, every file has the case's bytes.
 */
#include "fuzz.h"

#include "base/memory.h"
#include "collect/perf/blocked_thread.h"
#include "collect/process/listeners.h"
#include "collect/process/maps.h"
#include "collect/runtime/engine.h"
#include "record/sockets.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PID 7777777 /* more than the kernel's PID_MAX_LIMIT */
#define FOLDER "/proc/7777777/"
#define INODE 12345

static const char *case_path;

static int open_path(const char *path, int flags, unsigned mode)
{
	bool is_faked = case_path && !strncmp(path, FOLDER, strlen(FOLDER));

	return (int)syscall(SYS_openat, AT_FDCWD, is_faked ? case_path : path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	va_list more;
	va_start(more, flags);
	unsigned mode = flags & O_CREAT ? va_arg(more, unsigned) : 0;
	va_end(more);
	return open_path(path, flags, mode);
}

FILE *fopen64(const char *path, const char *how)
{
	int flags =
		*how == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | (*how == 'a' ? O_APPEND : O_TRUNC);
	int fd = open_path(path, flags | O_CLOEXEC, 0666);

	return fd < 0 ? NULL : fdopen(fd, how);
}

static void on_listener(void *context, const struct listener *listener)
{
	*(size_t *)context += listener->path ? strlen(listener->path) : listener->port;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	pid_t pid = PID;
	struct maps_line line;
	struct blocked_thread wait;
	struct error error;
	size_t seen = 0;

	case_path = fuzz_file(bytes, size);
	struct maps *maps = maps_open(PID);
	while (maps_next(maps, &line))
		seen += strlen(line.path) + line.is_code;
	maps_close(maps);
	free(process_name(PID));
	process_parent(PID);
	listeners_each(&pid, 1, on_listener, &seen);
	free(sockets_name(PID, INODE));
	blocked_thread_read(PID, PID, &wait);
	runtime_preload_check(case_path, &error);
	case_path = NULL;
	return 0;
}
