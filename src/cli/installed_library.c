/* SPDX-License-Identifier: BSD-2-Clause */
/* library - looks beside the installed program, and in the build folder. */
#include "cli/installed_library.h"

#include "base/memory.h"

#include <libgen.h>
#include <unistd.h>

char *installed_library_find(const char *file)
{
	static const char *const places[] = {LEVER_LIBRARY_FROM_PROGRAM, "src/runtime",
					     "../lib/lever"};
	char program[4096];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (length <= 0)
		return NULL;
	program[length] = 0;
	const char *folder = dirname(program);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		char *path = text_format("%s/%s/%s", folder, places[i], file);
		char *real = realpath(path, NULL);
		free(path);
		if (real)
			return real;
	}
	return NULL;
}
