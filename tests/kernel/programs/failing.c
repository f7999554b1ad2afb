/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * failing - preloaded into lever: from some number on, its writes or its allocations fail; or its
 * wall clock is set.
 *
 * FAILING_WRITE and FAILING_ALLOCATION are those numbers, FAILING_ERROR the writes' errno. Writes
 * are those to regular files, changes of their size, and waiting for the disk. FAILING_COUNT is a
 * file for how many of both there were. FAILING_CLOCK, as "6 -5": after 6 s it is 5 s behind.
 * Other programs that inherit the environment, and children of lever that run no program, are left
 * alone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

extern char *program_invocation_short_name;
void *__libc_malloc(size_t size);               /* NOLINT(bugprone-reserved-identifier) */
void *__libc_calloc(size_t count, size_t size); /* NOLINT(bugprone-reserved-identifier) */
void *__libc_realloc(void *old, size_t size);   /* NOLINT(bugprone-reserved-identifier) */

static long writes, allocations, failing_write, failing_allocation;
static int failing_error = ENOSPC;
static long clock_set_s, clock_step_s; /* time of CLOCK_MONOTONIC; by how much */
static pid_t lever;                    /* 0: this process is another one */

static long number_of(const char *variable)
{
	const char *text = getenv(variable);
	return text ? strtol(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
	if (strcmp(program_invocation_short_name, "lever") != 0)
		return;
	failing_write = number_of("FAILING_WRITE");
	failing_allocation = number_of("FAILING_ALLOCATION");
	if (number_of("FAILING_ERROR"))
		failing_error = (int)number_of("FAILING_ERROR");
	const char *clock = getenv("FAILING_CLOCK");
	struct timespec now;
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	if (clock && sscanf(clock, "%ld %ld", &clock_set_s, &clock_step_s) == 2)
		clock_set_s += now.tv_sec;
	lever = getpid();
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("FAILING_COUNT");

	if (!path || lever != getpid())
		return;
	lever = 0;
	FILE *file = fopen(path, "w");
	if (file) {
		fprintf(file, "%ld %ld\n", writes, allocations);
		fclose(file);
	}
}

static int write_fails(int fd)
{
	struct stat status;

	if (!lever || lever != getpid() || fstat(fd, &status) || !S_ISREG(status.st_mode))
		return 0;
	long number = __atomic_add_fetch(&writes, 1, __ATOMIC_RELAXED);
	if (!failing_write || number < failing_write)
		return 0;
	errno = failing_error;
	return 1;
}

static int allocation_fails(void)
{
	if (!lever || lever != getpid())
		return 0;
	long number = __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
	if (!failing_allocation || number < failing_allocation)
		return 0;
	errno = ENOMEM;
	return 1;
}

int clock_gettime(clockid_t id, struct timespec *now)
{
	struct timespec elapsed;
	int result = (int)syscall(SYS_clock_gettime, id, now);

	if (id == CLOCK_REALTIME && clock_step_s && lever == getpid()) {
		syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &elapsed);
		now->tv_sec += elapsed.tv_sec >= clock_set_s ? clock_step_s : 0;
	}
	return result;
}

time_t time(time_t *seconds)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return seconds ? (*seconds = now.tv_sec) : now.tv_sec;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
	return write_fails(fd) ? -1 : syscall(SYS_write, fd, bytes, size);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset)
{
	return write_fails(fd) ? -1 : syscall(SYS_pwrite64, fd, bytes, size, offset);
}

int ftruncate64(int fd, off64_t size)
{
	return write_fails(fd) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int fsync(int fd)
{
	return write_fails(fd) ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	return write_fails(fd) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

void *malloc(size_t size)
{
	return allocation_fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return allocation_fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return allocation_fails() ? NULL : __libc_realloc(old, size);
}
