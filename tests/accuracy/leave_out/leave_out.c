/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leave_out - leaves out a part of a server's calls, by LD_PRELOAD: what is a program worth without
 * them, and without anything else that a change of its configuration would take away?
 *
 * LEAVE_OUT names the calls, with a space around each; the file LEAVE_OUT_FILE holds the percentage
 * as an int, 0 at first. Each thread leaves out evenly.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define REAL(name)                     \
	static __typeof__(name) *real; \
	if (!real)                     \
	real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

enum call { FDATASYNC, LOG_WRITE, MESSAGE, HTACCESS, WRITE, CALLS };

static const char *const names[CALLS] = {" fdatasync ", " pwrite64 ", " stdio ", " htaccess ",
					 " write "};
static bool is_named[CALLS];
static const int none;
static const volatile int *percent = &none;

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("LEAVE_OUT_FILE"), *calls = getenv("LEAVE_OUT");
	int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *shared =
		file >= 0 ? mmap(NULL, sizeof(int), PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;

	for (int i = 0; i < CALLS; i++)
		is_named[i] = calls && strstr(calls, names[i]);
	if (shared != MAP_FAILED)
		percent = shared;
	if (file >= 0)
		close(file);
}

static bool is_left_out(enum call call)
{
	static __thread int sums[CALLS];

	if (!is_named[call])
		return false;
	sums[call] += *percent;
	if (sums[call] < 100)
		return false;
	sums[call] -= 100;
	return true;
}

int fdatasync(int file)
{
	REAL(fdatasync);
	return is_left_out(FDATASYNC) ? 0 : real(file);
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t at)
{
	REAL(pwrite64);
	return is_left_out(LOG_WRITE) ? (ssize_t)size : real(file, data, size, at);
}

ssize_t write(int file, const void *data, size_t size)
{
	REAL(write);
	return is_left_out(WRITE) ? (ssize_t)size : real(file, data, size);
}

int __vfprintf_chk(FILE *file, int flag, const char *format, va_list list)
{
	(void)flag;
	return is_left_out(MESSAGE) ? 0 : vfprintf(file, format, list);
}

int __fprintf_chk(FILE *file, int flag, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	int length = __vfprintf_chk(file, flag, format, list);
	va_end(list);
	return length;
}

int fputc(int letter, FILE *file)
{
	REAL(fputc);
	return is_left_out(MESSAGE) ? letter : real(letter, file);
}

int fputs(const char *text, FILE *file)
{
	REAL(fputs);
	return is_left_out(MESSAGE) ? 0 : real(text, file);
}

size_t fwrite(const void *data, size_t size, size_t count, FILE *file)
{
	REAL(fwrite);
	return is_left_out(MESSAGE) ? count : real(data, size, count, file);
}

int fflush(FILE *file)
{
	REAL(fflush);
	return is_left_out(MESSAGE) ? 0 : real(file);
}

int open(const char *path, int flags, ...)
{
	REAL(open);
	va_list list;

	va_start(list, flags);
	int mode = va_arg(list, int);
	va_end(list);
	if (strstr(path, "/.htaccess") && is_left_out(HTACCESS)) {
		errno = ENOENT;
		return -1;
	}
	return real(path, flags, mode);
}
