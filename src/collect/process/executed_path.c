/* SPDX-License-Identifier: BSD-2-Clause */
/* executed_path - follows AT_EXECFN of the auxiliary vector into the process's memory. */
#include "collect/process/executed_path.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the kernel has put the name; 0: not known, as of a 32-bit program. */
static off_t name_address(pid_t pid)
{
	AUTO(text) char *path = text_format("/proc/%d/auxv", (int)pid);
	AUTO(file) FILE *vector = fopen(path, "re");
	Elf64_auxv_t entry;

	while (vector && fread(&entry, sizeof(entry), 1, vector) == 1 && entry.a_type != AT_NULL)
		if (entry.a_type == AT_EXECFN && entry.a_un.a_val <= LONG_MAX)
			return (off_t)entry.a_un.a_val;
	return 0;
}

static bool read_name(pid_t pid, char name[PATH_MAX])
{
	AUTO(text) char *path = text_format("/proc/%d/mem", (int)pid);
	AUTO(fd) int memory = open(path, O_RDONLY | O_CLOEXEC);
	off_t address = name_address(pid);
	ssize_t length = 0;

	if (memory >= 0 && address)
		length = pread(memory, name, PATH_MAX - 1, address);
	if (length <= 0)
		return false;
	name[length] = 0;
	return name[0] == '/'; /* a relative one is of a directory that may be another by now */
}

static bool are_same(const char *one, const char *other)
{
	struct stat first, second;

	return !stat(one, &first) && !stat(other, &second) && first.st_ino == second.st_ino &&
	       first.st_dev == second.st_dev;
}

char *process_executed_path(pid_t pid)
{
	AUTO(text) char *link = text_format("/proc/%d/exe", (int)pid);
	char name[PATH_MAX], file[PATH_MAX];
	ssize_t length = readlink(link, file, sizeof(file) - 1);

	if (length <= 0)
		return NULL;
	file[length] = 0;
	if (!read_name(pid, name))
		return text_copy(file);
	AUTO(text) char *inside = text_format("/proc/%d/root%s", (int)pid, name);
	return text_copy(are_same(inside, link) ? name : file);
}
