/* SPDX-License-Identifier: BSD-2-Clause */
/* maps - takes the lines of /proc/PID/maps apart. */
#include "collect/process/maps.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct maps {
	FILE *file;
	char *text;
	size_t room;
};

struct maps *maps_open(pid_t pid)
{
	AUTO(text) char *path = text_format("/proc/%d/maps", (int)pid);
	FILE *file = fopen(path, "re");

	if (!file)
		return NULL;
	struct maps *maps = memory_new(1, sizeof(*maps));
	maps->file = file;
	return maps;
}

void maps_close(struct maps *maps)
{
	if (!maps)
		return;
	fclose(maps->file);
	free(maps->text);
	free(maps);
}

static bool read_line(char *text, struct maps_line *line)
{
	uint32_t major, minor;
	uint64_t inode;
	char rights[5];
	int at = 0;

	if (sscanf(text,
		   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %" SCNx32 ":%" SCNx32 " %" SCNu64 " %n",
		   &line->start, &line->end, rights, &line->offset, &major, &minor, &inode,
		   &at) != 7)
		return false;
	text[strcspn(text, "\n")] = 0;
	line->path = at ? text + at : "";
	line->file = (struct wire_file){.inode = inode, .device = major << 20 | minor};
	line->is_code = strchr(rights, 'x');
	line->is_writable = strchr(rights, 'w');
	return true;
}

bool maps_next(struct maps *maps, struct maps_line *line)
{
	while (maps && getline(&maps->text, &maps->room, maps->file) > 0)
		if (read_line(maps->text, line))
			return true;
	return false;
}

bool maps_is_program(pid_t pid, const char *path)
{
	char target[4096];
	AUTO(text) char *link = text_format("/proc/%d/exe", (int)pid);
	ssize_t length = readlink(link, target, sizeof(target) - 1);

	if (length < 0)
		return false;
	target[length] = 0;
	return !strcmp(target, path);
}
