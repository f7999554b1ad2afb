/* SPDX-License-Identifier: BSD-2-Clause */
/* loader - libbpf's output, and the sentence for a refused BPF object. */
#include "collect/bpf/loader.h"

#include "base/cores.h"
#include "collect/bpf/lockdown.h"
#include "wire/kernel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_verbose;

static int print_libbpf(enum libbpf_print_level level, const char *format, va_list arguments)
{
	if (!is_verbose || level == LIBBPF_DEBUG)
		return 0;
	return vfprintf(stderr, format, arguments);
}

void bpf_loader_set_verbose(bool verbose)
{
	is_verbose = verbose;
	libbpf_set_print(print_libbpf);
}

unsigned bpf_loader_cores_most(void)
{
	return KERNEL_CPUS_MOST;
}

int bpf_loader_check_cores(struct error *error)
{
	unsigned cores = cores_possible();

	return cores > KERNEL_CPUS_MOST ?
		       error_set(
			       error, -E2BIG,
			       "this machine has %u cores, and lever can observe %d; boot it with "
			       "possible_cpus=%d",
			       cores, KERNEL_CPUS_MOST, KERNEL_CPUS_MOST) :
		       0;
}

int bpf_loader_note_engine(const struct bpf_program *note_engine)
{
	return bpf_prog_test_run_opts(bpf_program__fd(note_engine), NULL);
}

int bpf_loader_explain(int code, struct error *error)
{
	/* The verifier then misses functions, and says -EINVAL. */
	if (lockdown_of("") == LOCKDOWN_CONFIDENTIALITY)
		return error_set(error, -EPERM,
				 "the kernel is locked down (confidentiality), so BPF programs may "
				 "not read its memory; boot without lockdown=confidentiality");
	if (code == -EPERM || code == -EACCES)
		return error_set(error, code,
				 "the kernel refuses to load BPF programs; run as root, or with "
				 "CAP_BPF and CAP_PERFMON (see `lever check`)");
	return error_set(error, code,
			 "the kernel does not accept the BPF programs: %s; `lever check` tells "
			 "what is missing, and --verbose shows the verifier's log",
			 strerror(-code));
}
