/* SPDX-License-Identifier: BSD-2-Clause */
/* build_id - of an ELF file, by which a file on another host is known to be the same. */
#include "collect/hosts/build_id.h"

#include "base/cleanup.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HEADERS_MOST 64
#define NOTES_MOST_BYTES 65536

static void find_in_notes(const char *notes, size_t size, char *text, size_t room)
{
	for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= size;) {
		Elf64_Nhdr note;
		memcpy(&note, notes + at, sizeof(note));
		size_t name = at + sizeof(note);
		size_t data = name + ((size_t)note.n_namesz + 3) / 4 * 4;
		size_t next = data + ((size_t)note.n_descsz + 3) / 4 * 4;
		if (next > size)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4) && 2 * (size_t)note.n_descsz < room) {
			for (size_t i = 0; i < note.n_descsz; i++)
				snprintf(text + 2 * i, 3, "%02x", (unsigned char)notes[data + i]);
			return;
		}
		at = next;
	}
}

void build_id_read(const char *path, char *text, size_t size)
{
	AUTO(fd) int file = open(path, O_RDONLY | O_CLOEXEC);
	static char notes[NOTES_MOST_BYTES];
	Elf64_Phdr headers[HEADERS_MOST];
	Elf64_Ehdr elf;

	text[0] = 0;
	if (file < 0 || pread(file, &elf, sizeof(elf), 0) != (ssize_t)sizeof(elf) ||
	    memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_phnum > HEADERS_MOST)
		return;
	ssize_t bytes = (ssize_t)(elf.e_phnum * sizeof(headers[0]));
	if (pread(file, headers, (size_t)bytes, (off_t)elf.e_phoff) != bytes)
		return;
	for (int i = 0; i < elf.e_phnum && !text[0]; i++) {
		if (headers[i].p_type != PT_NOTE || headers[i].p_filesz > sizeof(notes))
			continue;
		ssize_t got = pread(file, notes, headers[i].p_filesz, (off_t)headers[i].p_offset);
		if (got > 0)
			find_in_notes(notes, (size_t)got, text, size);
	}
}
