/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel_debug_file - searches the usual directories, and asks servers. */
#include "symbolize/kernel/kernel_debug_file.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/memory.h"
#include "symbolize/debug_fetch.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

char *kernel_build_id(void)
{
	size_t size = 0, at = 0;
	AUTO(text) char *notes = file_read("/sys/kernel/notes", &size, NULL);

	while (notes && size - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		memcpy(&note, notes + at, sizeof(note));
		size_t name = at + sizeof(note), content = name + (note.n_namesz + 3) / 4 * 4;
		size_t next = content + (note.n_descsz + 3) / 4 * 4;
		if (next > size || next <= at)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4)) {
			char *hex = memory_new(1, 2 * note.n_descsz + 1);
			for (size_t i = 0; i < note.n_descsz; i++)
				snprintf(hex + 2 * i, 3, "%02x", (unsigned char)notes[content + i]);
			return hex;
		}
		at = next;
	}
	return text_copy("");
}

static char *readable(char *path)
{
	if (!access(path, R_OK))
		return path;
	free(path);
	return NULL;
}

char *kernel_debug_file(void)
{
	static const char *const locations[] = {"/usr/lib/debug/boot/vmlinux-%s",
						"/usr/lib/debug/lib/modules/%s/vmlinux",
						"/usr/lib/debug/usr/lib/modules/%s/vmlinux",
						"/boot/vmlinux-%s",
						"/lib/modules/%s/build/vmlinux"};
	AUTO(text) char *id = kernel_build_id();
	struct utsname host;
	char *path = NULL;

	uname(&host);
	for (size_t i = 0; i < sizeof(locations) / sizeof(*locations) && !path; i++) {
		const char *mark = strstr(locations[i], "%s");
		path = readable(text_format("%.*s%s%s", (int)(mark - locations[i]), locations[i],
					    host.release, mark + 2));
	}
	if (!path && strlen(id) > 2)
		path = readable(text_format("/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2));
	return path;
}

bool kernel_debug_file_may_fetch(void)
{
	return debug_fetch_is_possible();
}

char *kernel_debug_file_fetch(void)
{
	AUTO(text) char *id = kernel_build_id();

	return *id ? debug_fetch_by_build_id(id, "the kernel") : NULL;
}
