/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * attach_bpf - keeps the BPF programs of an object file attached until standard input ends.
 *
 *	attach_bpf OBJECT
 *
 * Prints a line when they are.
 */
#include <bpf/libbpf.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct bpf_object *object = argc > 1 ? bpf_object__open(argv[1]) : NULL;
	struct bpf_program *program;

	if (!object || bpf_object__load(object))
		return 1;
	bpf_object__for_each_program(program, object) if (!bpf_program__attach(program)) return 1;
	puts("attached");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
