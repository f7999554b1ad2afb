/* SPDX-License-Identifier: BSD-2-Clause */
/* locked_first - its unit of work begins with a locked instruction, where no uprobe stands. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_ulong served_in_all;

void served(void);

__attribute__((noinline, noipa)) void served(void)
{
	atomic_fetch_add(&served_in_all, 1);
}

int main(int count, char **arguments)
{
	long units = count > 1 ? atol(arguments[1]) : 1000;

	for (long i = 0; i < units; i++)
		served();
	printf("%lu\n", atomic_load(&served_in_all));
}
