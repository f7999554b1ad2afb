/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * preload_check - whether the library can be loaded into this program, and find its threads.
 *
 * Static programs load no library, setuid programs ignore LD_PRELOAD, and Go and Java schedule
 * threads past the functions that the library interposes. They are refused, with the engine that
 * can profile them. Scripts are not checked: their interpreter runs.
 */
#include "collect/runtime/engine.h"

#include "base/cleanup.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define HEADERS_MOST 128
#define NAME_MOST 256

static int refuse(const char *path, const char *why, struct error *error)
{
	return error_set(
		error, -ENOTSUP,
		"the runtime engine cannot profile '%s': %s; use --engine kernel as root or "
		"with CAP_BPF and CAP_PERFMON",
		path, why);
}

static bool read_at(int file, void *bytes, size_t size, uint64_t offset)
{
	return pread(file, bytes, size, (off_t)offset) == (ssize_t)size;
}

/* The loader's path (PT_INTERP), "" if there is none. */
static bool read_loader(int file, const Elf64_Ehdr *head, char loader[NAME_MOST])
{
	Elf64_Phdr header;

	loader[0] = 0;
	for (unsigned i = 0; i < head->e_phnum && i < HEADERS_MOST; i++) {
		if (!read_at(file, &header, sizeof(header), head->e_phoff + i * sizeof(header)))
			return false;
		if (header.p_type != PT_INTERP)
			continue;
		size_t size = header.p_filesz < NAME_MOST ? header.p_filesz : NAME_MOST - 1;
		if (!read_at(file, loader, size, header.p_offset))
			return false;
		loader[size] = 0;
		return true;
	}
	return true;
}

/* Has it a section of this name? */
static bool has_section(int file, const Elf64_Ehdr *head, const char *wanted)
{
	Elf64_Shdr names, header;
	char name[NAME_MOST];
	size_t size = strlen(wanted) + 1;

	if (!head->e_shoff ||
	    !read_at(file, &names, sizeof(names), head->e_shoff + head->e_shstrndx * sizeof(names)))
		return false;
	for (unsigned i = 0; i < head->e_shnum; i++)
		if (read_at(file, &header, sizeof(header), head->e_shoff + i * sizeof(header)) &&
		    read_at(file, name, size, names.sh_offset + header.sh_name) &&
		    !memcmp(name, wanted, size))
			return true;
	return false;
}

static const char *why_not_elf(int file, const Elf64_Ehdr *head)
{
	char loader[NAME_MOST];

	if (head->e_ident[EI_CLASS] != ELFCLASS64)
		return "it is not a 64-bit program";
	if (!read_loader(file, head, loader))
		return "its ELF headers cannot be read";
	if (!loader[0])
		return "it is statically linked, so no library can be loaded into it";
	if (strstr(loader, "musl"))
		return "it is built for musl, and the library for glibc";
	if (has_section(file, head, ".go.buildinfo") || has_section(file, head, ".note.go.buildid"))
		return "it is a Go program, which schedules its threads past libc";
	return NULL;
}

static bool is_java(const char *path)
{
	const char *name = strrchr(path, '/');
	return !strcmp(name ? name + 1 : path, "java");
}

int runtime_preload_check(const char *path, struct error *error)
{
	AUTO(fd) int file = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	Elf64_Ehdr head;

	if (file < 0 || fstat(file, &status))
		return 0; /* it may be run all the same; what cannot says so itself */
	if ((status.st_mode & S_ISUID && status.st_uid != geteuid()) ||
	    (status.st_mode & S_ISGID && status.st_gid != getegid()))
		return refuse(path,
			      "it is setuid, and such programs load no library of their user's",
			      error);
	if (!read_at(file, &head, sizeof(head), 0) || memcmp(head.e_ident, ELFMAG, SELFMAG))
		return 0;
	const char *why = why_not_elf(file, &head);
	if (!why && is_java(path))
		why = "it is a Java machine, whose code has no place that a library could find";
	return why ? refuse(path, why, error) : 0;
}
