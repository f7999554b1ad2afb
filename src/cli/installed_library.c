/* SPDX-License-Identifier: BSD-2-Clause */
/* installed_library - in the installed tree, and in the build folder. */
#include "cli/installed_library.h"

#include "base/memory.h"

#include <libgen.h>
#include <unistd.h>

char *installed_library_find(const char *file)
{
	static const char *const folders[] = {LEVER_LIBRARY_FROM_PROGRAM, "src/runtime",
					      "../lib/lever"};
	char program[4096];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (length <= 0)
		return NULL;
	program[length] = 0;
	const char *folder = dirname(program);
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		char *path = text_format("%s/%s/%s", folder, folders[i], file);
		char *real = realpath(path, NULL);
		free(path);
		if (real)
			return real;
	}
	return NULL;
}
