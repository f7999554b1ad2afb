/* SPDX-License-Identifier: BSD-2-Clause */
/* executable - files that this test writes. */
#include "collect/process/executable.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "check.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];

static const char *written(const void *bytes, size_t size)
{
	snprintf(path, sizeof(path), "/tmp/test-executable-%d", (int)getpid());
	unlink(path);
	AUTO(fd) int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	CHECK(file >= 0 && write(file, bytes, size) == (ssize_t)size);
	return path;
}

static const char *script(const char *text)
{
	return written(text, strlen(text));
}

static bool has_problem(const char *file, int code, const char *part)
{
	AUTO(text) char *problem = executable_problem(file, code);

	unlink(file);
	return part ? problem && strstr(problem, part) : !problem;
}

TEST("a script is refused only if its interpreter is missing")
{
	CHECK_EQUAL(executable_check(script("#!/bin/sh\n")), 0);
	CHECK_EQUAL(executable_check(script("#! \t/bin/sh -e")), 0);
	CHECK_EQUAL(executable_check(script("#!/no/such -e\n")), -ENOENT);
	CHECK_EQUAL(executable_check(script("#!\n")), 0);
	CHECK_EQUAL(executable_check(script("true\n")), 0);
	CHECK_EQUAL(executable_check(script("")), -ENOEXEC);
	unlink(path);
	CHECK_EQUAL(executable_check("/no/such/file"), 0);
	CHECK_EQUAL(executable_check("/tmp"), 0);
}

TEST("a script's problem has its interpreter, or the ends of its lines")
{
	CHECK(has_problem(script("#!/no/such -e\n"), ENOENT, "interpreter /no/such is missing"));
	CHECK(has_problem(script("#!/bin/sh\r\n"), ENOENT, "as those of Windows"));
	CHECK(has_problem(script("#!/tmp\n"), EACCES, "interpreter /tmp is not executable"));
	CHECK(has_problem(script(""), ENOEXEC, "it is empty"));
	CHECK(has_problem(script("true\n"), ENOEXEC, NULL));
	CHECK(has_problem(script("#!/bin/sh\n"), ENOMEM, NULL));
}

TEST("shells run text, and neither ELF nor bytes of 0")
{
	CHECK(executable_is_shell_text(script("true\n")));
	CHECK(executable_is_shell_text(script("true")));
	CHECK(executable_is_shell_text(written("true\n\0", 6)));
	CHECK(!executable_is_shell_text(written("tr\0ue\n", 6)));
	CHECK(!executable_is_shell_text(written(ELFMAG "true\n", 9)));
	CHECK(!executable_is_shell_text(script("")));
	unlink(path);
}

struct elf_file {
	Elf64_Ehdr head;
	Elf64_Phdr header;
	char loader[16];
};

static struct elf_file elf_with(const char *loader)
{
	struct elf_file made = {
		.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
			 .e_type = ET_EXEC,
			 .e_phoff = offsetof(struct elf_file, header),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 1},
		.header = {.p_type = PT_INTERP,
			   .p_offset = offsetof(struct elf_file, loader),
			   .p_filesz = strlen(loader) + 1},
	};
	Elf64_Ehdr own = {0};
	AUTO(fd) int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	CHECK(read(file, &own, sizeof(own)) == sizeof(own));
	made.head.e_machine = own.e_machine;
	strcpy(made.loader, loader);
	return made;
}

TEST("an ELF file's problem has its loader, its machine, or its headers")
{
	struct elf_file lost = elf_with("/no/such/ld.so"), here = elf_with("/bin/sh");
	struct elf_file foreign = here, object = here;
	char loader[PATH_MAX];

	foreign.head.e_machine = EM_S390;
	object.head.e_type = ET_REL;
	CHECK(executable_loader(written(&here, sizeof(here)), loader, sizeof(loader)));
	CHECK_TEXT(loader, "/bin/sh");
	CHECK_EQUAL(executable_check(path), 0);
	CHECK_EQUAL(executable_check(written(&foreign, sizeof(foreign))), 0);
	CHECK(has_problem(path, ENOEXEC, "it is built for s390"));
	CHECK_EQUAL(executable_check(written(&lost, sizeof(lost))), -ENOENT);
	CHECK(has_problem(path, ENOENT, "its loader /no/such/ld.so is missing"));
	CHECK(has_problem(written(&object, sizeof(object)), ENOEXEC, "link it first"));
	CHECK(has_problem(written(&here, sizeof(here)), ENOEXEC, "headers are damaged"));
	CHECK(has_problem(written(&here, 20), ENOEXEC, "header is cut off"));
}
