/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writes - small writes, each with an fsync.
 *
 *	writes COUNT FILE
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static char block[4096];
	unsigned long count = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	int fd = count ? open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;

	if (fd < 0) {
		fputs("writes COUNT FILE\n", stderr);
		return 2;
	}
	for (unsigned long i = 0; i < count; i++)
		if (pwrite(fd, block, sizeof(block), (off_t)(i % 1024 * sizeof(block))) < 0 ||
		    fsync(fd))
			return 1;
	return 0;
}
