/* SPDX-License-Identifier: BSD-2-Clause */
/* binaries - reads the loader's list, or /proc/PID/maps. */
#include "trace/binaries.h"

#include "base/cleanup.h"
#include "collect/process/libraries.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRIPT_MOST 1048576
#define PART_BYTES 65536

/* Unless it is known. */
static void add_path(struct binaries *binaries, const char *path)
{
	for (size_t i = 0; i < binaries->count; i++)
		if (!strcmp(binaries->items[i], path))
			return;
	*array_add(binaries) = text_copy(path);
}

static void on_library(void *context, const char *path)
{
	add_path(context, path);
}

void binaries_add_program(struct binaries *binaries, const char *executable)
{
	AUTO(text) char *path = realpath(executable, NULL);

	add_path(binaries, path ? path : executable);
	libraries_each(executable, on_library, binaries);
}

void binaries_add_process(struct binaries *binaries, pid_t pid)
{
	AUTO(text) char *name = text_format("/proc/%d/maps", (int)pid);
	AUTO(file) FILE *maps = fopen(name, "re");
	AUTO(text) char *line = NULL;
	size_t room = 0;

	while (maps && getline(&line, &room, maps) > 0) {
		char *path = strchr(line, '/');
		line[strcspn(line, "\n")] = 0;
		if (path && strstr(line, "r-xp"))
			add_path(binaries, path);
	}
}

void binaries_release(struct binaries *binaries)
{
	for (size_t i = 0; i < binaries->count; i++)
		free(binaries->items[i]);
	array_free(binaries);
}

/*
 * In the first `most` bytes. Others may own the file: it may be a FIFO, whose opening would block,
 * and it may be cut meanwhile, so that a mapping of it would end the process.
 */
static bool file_contains(const char *path, const char *text, size_t most)
{
	AUTO(fd) int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	size_t kept = 0, length = strlen(text);
	struct stat status;
	ssize_t got;

	if (file < 0 || fstat(file, &status) || !S_ISREG(status.st_mode))
		return false;
	AUTO(text) char *part = memory_new(PART_BYTES, 1);
	for (size_t done = 0; done < most; done += (size_t)got) {
		got = pread(file, part + kept, PART_BYTES - kept, (off_t)done);
		if (got <= 0)
			return false;
		size_t size = kept + (size_t)got;
		if (memmem(part, size, text, length))
			return true;
		kept = size < length ? size : length - 1; /* the text may begin in them */
		memmove(part, part + size - kept, kept);
	}
	return false;
}

bool binaries_contain(const struct binaries *binaries, const char *text)
{
	for (size_t i = 0; i < binaries->count; i++)
		if (file_contains(binaries->items[i], text, SIZE_MAX))
			return true;
	return false;
}

bool binaries_script_contains(char *const *arguments, const char *text)
{
	for (; *arguments; arguments++)
		if (strstr(*arguments, text) || file_contains(*arguments, text, SCRIPT_MOST))
			return true;
	return false;
}
