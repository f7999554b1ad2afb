/* SPDX-License-Identifier: BSD-2-Clause */
/* fresh_pages - takes memory from the kernel for each unit, touches it, and gives it back. */
#include <stdlib.h>
#include <sys/mman.h>

#include "unit.h"

#define BYTES (4u << 20)

static void touch(void)
{
	volatile char *fresh =
		mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (fresh == MAP_FAILED)
		return;
	for (unsigned at = 0; at < BYTES; at += 4096)
		fresh[at] = 1;
	munmap((void *)fresh, BYTES);
}

int main(int count, char **arguments)
{
	for (long i = count > 1 ? atol(arguments[1]) : 1000; i > 0; i--) {
		touch();
		unit();
	}
	return 0;
}
