/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verified - how many instructions the kernel's verifier follows for each BPF program of an object
 * file, and how long its loading takes. With a program's name after the file, the verifier's log
 * of that one.
 *
 * Usage: bench-verified FILE [PROGRAM]
 */
#include "base/clock.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_BYTES (1u << 29)
#define LOG_STATES 2 /* each instruction that is followed, with its registers */

static int print_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level, (void)format, (void)arguments;
	return 0;
}

static const char *name_at(const char *file, size_t index)
{
	static char name[128];
	struct bpf_object *object = bpf_object__open(file);
	struct bpf_program *program;
	size_t at = 0;

	name[0] = 0;
	bpf_object__for_each_program(program, object) if (at++ == index)
		snprintf(name, sizeof(name), "%s", bpf_program__name(program));
	bpf_object__close(object);
	return name[0] ? name : NULL;
}

/* Loads only that program of the file; NULL: none (`name` NULL). */
static struct bpf_object *load(const char *file, const char *name, char *log, uint64_t *took_ns)
{
	struct bpf_object *object = bpf_object__open(file);
	struct bpf_program *program;

	bpf_object__for_each_program(program, object)
	{
		bool is_wanted = name && !strcmp(bpf_program__name(program), name);
		bpf_program__set_autoload(program, is_wanted);
		if (is_wanted && log) {
			bpf_program__set_log_level(program, LOG_STATES);
			bpf_program__set_log_buf(program, log, LOG_BYTES);
		}
	}
	uint64_t begin = clock_now_ns();
	int code = bpf_object__load(object);
	*took_ns = clock_now_ns() - begin;
	if (!code)
		return object;
	bpf_object__close(object);
	return NULL;
}

static bool show(const char *file, const char *name, uint64_t without_ns)
{
	uint64_t took_ns;
	struct bpf_prog_info info = {0};
	__u32 size = sizeof(info);
	struct bpf_object *object = load(file, name, NULL, &took_ns);

	if (!object) {
		printf("%-24s refused\n", name);
		return false;
	}
	int fd = bpf_program__fd(bpf_object__find_program_by_name(object, name));
	bool is_known = !bpf_obj_get_info_by_fd(fd, &info, &size);
	double ms = took_ns > without_ns ? (double)(took_ns - without_ns) / 1e6 : 0;
	if (is_known)
		printf("%-24s %12u %12u %8.1f\n", name, info.xlated_prog_len / 8,
		       info.verified_insns, ms);
	bpf_object__close(object);
	return is_known;
}

static int print_log(const char *file, const char *name)
{
	uint64_t took_ns;
	char *log = calloc(1, LOG_BYTES);
	struct bpf_object *object = load(file, name, log, &took_ns);

	puts(log);
	free(log);
	bpf_object__close(object);
	return object ? 0 : 1;
}

int main(int argc, char **argv)
{
	uint64_t without_ns;
	bool is_right = true;
	char name[128];

	libbpf_set_print(print_nothing);
	if (argc < 2)
		return 2;
	if (argc > 2)
		return print_log(argv[1], argv[2]);
	struct bpf_object *object = load(argv[1], NULL, NULL, &without_ns);
	if (!object)
		return 1;
	bpf_object__close(object);
	printf("%-24s %12s %12s %8s\n", "program", "instructions", "verified", "ms");
	for (size_t i = 0; name_at(argv[1], i); i++) {
		snprintf(name, sizeof(name), "%s", name_at(argv[1], i));
		is_right &= show(argv[1], name, without_ns);
	}
	printf("%-24s %12s %12s %8.1f\n", "maps alone", "", "", (double)without_ns / 1e6);
	return is_right ? 0 : 1;
}
