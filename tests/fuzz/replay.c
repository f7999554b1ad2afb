/* SPDX-License-Identifier: BSD-2-Clause */
/* replay - runs the target on the kept cases. Usage: replay FILE... */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CASE_MOST_BYTES (4u << 20)

int main(int argc, char **argv)
{
	uint8_t *bytes = malloc(CASE_MOST_BYTES);

	printf("1..%d\n", argc - 1);
	for (int i = 1; bytes && i < argc; i++) {
		FILE *file = fopen(argv[i], "r");
		if (!file)
			return 1;
		size_t size = fread(bytes, 1, CASE_MOST_BYTES, file);
		fclose(file);
		alarm(20);
		LLVMFuzzerTestOneInput(bytes, size);
		printf("ok %d - %s\n", i, argv[i]);
	}
	free(bytes);
	return 0;
}
