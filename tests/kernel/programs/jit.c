/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jit - makes code at run time, as interpreters do, names it in /tmp/perf-PID.map, and spends its
 * time there. The argument says how often it is called; each call is a visit to `called`. With a
 * second one, it tells no one where the code is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE_BYTES 4096

__attribute__((noinline)) void called(void);
__attribute__((noinline)) void called(void)
{
	__asm__ volatile("" ::: "memory");
}

static char path[64];

static void name_code(const void *code, size_t size)
{
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	FILE *map = fopen(path, "we");
	if (!map)
		exit(1);
	fprintf(map, "%lx %zx made_at_run_time\n", (unsigned long)code, size);
	fclose(map);
}

int main(int argc, char **argv)
{
	/* push rbp; mov rbp, rsp; mov ecx, 300000; 1: dec ecx; jnz 1b; pop rbp; ret */
	static const unsigned char bytes[] = {0x55, 0x48, 0x89, 0xe5, 0xb9, 0xe0, 0x93, 0x04,
					      0x00, 0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3};
	long count = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	void *code =
		mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		return 1;
	memcpy(code, bytes, sizeof(bytes));
	if (mprotect(code, PAGE_BYTES, PROT_READ | PROT_EXEC))
		return 1;
	if (argc < 3)
		name_code(code, sizeof(bytes));
	for (long i = 0; i < count; i++) {
		void (*function)(void);
		memcpy(&function, &code, sizeof(function));
		function();
		called();
	}
	if (*path)
		unlink(path);
	return 0;
}
