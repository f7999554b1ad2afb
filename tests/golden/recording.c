/* SPDX-License-Identifier: BSD-2-Clause */
/* recording - writes one of the recordings into a file. Usage: test_recording NAME FILE */
#include "recordings.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct error error = {0};
	bool is_known = false;
	for (unsigned i = 0; argc == 3 && i < recordings_count; i++)
		is_known |= !strcmp(argv[1], recordings[i]);
	if (!is_known) {
		fputs("usage: test_recording NAME FILE\n", stderr);
		return 2;
	}
	if (recordings_write(argv[1], argv[2], &error)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	return 0;
}
