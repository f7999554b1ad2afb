/* SPDX-License-Identifier: BSD-2-Clause */
/* static - a program without a dynamic linker, into which no library can be loaded. */
#include <stdio.h>

int main(void)
{
	puts("static");
	return 0;
}
