/* SPDX-License-Identifier: BSD-2-Clause */
/* loads - works alone, then loads a library (first argument) and has it work COUNT times. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile unsigned result;

int main(int argc, char **argv)
{
	long count = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	void (*work)(void) = NULL;

	for (unsigned i = 0; i < 200000000; i++)
		result = result + i;
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	void *symbol = library ? dlsym(library, "plugin_work") : NULL;
	if (!symbol) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	memcpy(&work, &symbol, sizeof(work));
	for (long i = 0; i < count; i++)
		work();
	return 0;
}
