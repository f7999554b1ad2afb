/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stray_frame - computes for SECONDS in code without unwind information, whose frame pointer leads
 * to a return address within the mapped file FILE, which holds no code. Without such code for this
 * machine it ends with 77.
 *
 * Usage: stray_frame FILE SECONDS
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define MAPPED_BYTES 4096

#if defined(__x86_64__)

void compute(uint64_t rounds, const uint64_t *frame);
__asm__(".text\n"
	".globl compute\n"
	".type compute, @function\n"
	"compute:\n"
	"	push %rbp\n"
	"	mov %rsi, %rbp\n"
	"1:	dec %rdi\n"
	"	jnz 1b\n"
	"	pop %rbp\n"
	"	ret\n"
	".size compute, . - compute\n");

int main(int argc, char **argv)
{
	int file = argc == 3 ? open(argv[1], O_RDONLY) : -1;
	const char *data = mmap(NULL, MAPPED_BYTES, PROT_READ, MAP_PRIVATE, file, 0);
	uint64_t frame[2] = {0, (uint64_t)(uintptr_t)data + 64};

	if (data == MAP_FAILED)
		return 2;
	for (time_t end = time(NULL) + atoi(argv[2]); time(NULL) < end;)
		compute(10000000, frame);
	return 0;
}

#else

int main(void)
{
	return 77;
}

#endif
