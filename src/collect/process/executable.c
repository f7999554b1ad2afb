/* SPDX-License-Identifier: BSD-2-Clause */
/* executable - reads the first line of scripts, and ELF headers. */
#include "collect/process/executable.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#define FIRST_BYTES 256 /* as many as the kernel reads (BINPRM_BUF_SIZE) */
#define HEADERS_MOST 64

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_NONE
#endif

struct beginning {
	size_t size;
	union {
		char text[FIRST_BYTES + 1];
		Elf64_Ehdr elf;
	};
};

static bool read_beginning(const char *path, struct beginning *beginning)
{
	AUTO(fd) int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	memset(beginning, 0, sizeof(*beginning));
	if (file < 0 || fstat(file, &status) || !S_ISREG(status.st_mode))
		return false;
	ssize_t got = pread(file, beginning->text, FIRST_BYTES, 0);
	beginning->size = got > 0 ? (size_t)got : 0;
	return got >= 0;
}

static bool is_elf(const struct beginning *beginning)
{
	return beginning->size >= SELFMAG && !memcmp(beginning->text, ELFMAG, SELFMAG);
}

static bool is_elf64(const struct beginning *beginning)
{
	return is_elf(beginning) && beginning->size >= sizeof(Elf64_Ehdr) &&
	       beginning->elf.e_ident[EI_CLASS] == ELFCLASS64;
}

/* What follows #!, up to the first blank, as the kernel reads it; false if there is none. */
static bool script_interpreter(const struct beginning *beginning, char name[FIRST_BYTES])
{
	if (strncmp(beginning->text, "#!", 2) != 0)
		return false;
	const char *begin = beginning->text + 2 + strspn(beginning->text + 2, " \t");
	size_t length = strcspn(begin, " \t\n");
	memcpy(name, begin, length);
	name[length] = 0;
	return length;
}

bool executable_loader(const char *path, char *loader, size_t size)
{
	AUTO(fd) int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	Elf64_Ehdr head;
	Elf64_Phdr headers[HEADERS_MOST];

	if (file < 0 || pread(file, &head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_phentsize != sizeof(*headers) || head.e_phnum > HEADERS_MOST)
		return false;
	size_t bytes = head.e_phnum * sizeof(*headers);
	if (pread(file, headers, bytes, (off_t)head.e_phoff) != (ssize_t)bytes)
		return false;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		bytes = headers[i].p_filesz;
		if (headers[i].p_type != PT_INTERP || bytes < 2 || bytes > size)
			continue;
		return pread(file, loader, bytes, (off_t)headers[i].p_offset) == (ssize_t)bytes &&
		       loader[0] == '/' && !loader[bytes - 1];
	}
	return false;
}

/* The script's interpreter, or the loader of a program for this machine. */
static bool next_program(const char *path, const struct beginning *beginning, char name[PATH_MAX])
{
	if (is_elf64(beginning))
		return beginning->elf.e_machine == OWN_MACHINE &&
		       executable_loader(path, name, PATH_MAX);
	return script_interpreter(beginning, name);
}

int executable_check(const char *path)
{
	struct beginning beginning;
	char name[PATH_MAX];

	if (!read_beginning(path, &beginning))
		return 0; /* a program may be executable and not readable */
	if (!beginning.size)
		return -ENOEXEC;
	if (next_program(path, &beginning, name) && access(name, F_OK) && errno == ENOENT)
		return -ENOENT;
	return 0;
}

static const char *machine_name(unsigned machine)
{
	switch (machine) {
	case EM_386:
		return "x86 of 32 bits";
	case EM_X86_64:
		return "x86-64";
	case EM_ARM:
		return "ARM of 32 bits";
	case EM_AARCH64:
		return "arm64";
	case EM_RISCV:
		return "RISC-V";
	case EM_PPC64:
		return "PowerPC";
	case EM_S390:
		return "s390";
	default:
		return "another machine";
	}
}

static char *elf_problem(const char *path, const struct beginning *beginning, int code)
{
	char loader[PATH_MAX];

	if (beginning->size < sizeof(Elf64_Ehdr))
		return text_copy("its ELF header is cut off; build or copy it again");
	if (beginning->elf.e_machine != OWN_MACHINE)
		return text_format("it is built for %s, this machine is %s; build it for this one",
				   machine_name(beginning->elf.e_machine),
				   machine_name(OWN_MACHINE));
	if (beginning->elf.e_type == ET_REL)
		return text_copy("it is an object file; link it first");
	if (code == ENOENT && executable_loader(path, loader, sizeof(loader)))
		return text_format("its loader %s is missing; install the C library that it was "
				   "built for",
				   loader);
	return code == ENOEXEC ? text_copy("its ELF headers are damaged; build or copy it again") :
				 NULL;
}

char *executable_problem(const char *path, int code)
{
	struct beginning beginning;
	char name[FIRST_BYTES];

	if ((code != ENOENT && code != ENOEXEC && code != EACCES) ||
	    !read_beginning(path, &beginning))
		return NULL;
	if (!beginning.size && code == ENOEXEC)
		return text_copy("it is empty; build or copy it again");
	if (is_elf(&beginning))
		return code == EACCES ? NULL : elf_problem(path, &beginning, code);
	if (!script_interpreter(&beginning, name))
		return NULL;
	if (name[strlen(name) - 1] == '\r')
		return text_copy("its lines end as those of Windows; repair it by "
				 "sed -i 's/\\r$//'");
	if (code == EACCES && !access(path, X_OK))
		return text_format("its interpreter %s is not executable; correct its first line",
				   name);
	return code == ENOENT ? text_format("its interpreter %s is missing; install it, or "
					    "correct the first line",
					    name) :
				NULL;
}

bool executable_is_shell_text(const char *path)
{
	struct beginning beginning;

	if (!read_beginning(path, &beginning) || is_elf(&beginning))
		return false;
	size_t line = strcspn(beginning.text, "\n"); /* ends at a 0 byte, too */
	return beginning.size && (line == beginning.size || beginning.text[line] == '\n');
}
