#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The numbers of system calls as C initializers. Usage: system_calls.sh COMPILER...
# The compiler resolves the numbers, since some are defined by others (arm64: __NR_mmap by __NR3264_mmap).
# __NR_syscalls is their count.
{
	echo '#include <sys/syscall.h>'
	echo '#include <sys/syscall.h>' | "$@" -E -dM - |
		sed -n '/__NR_\(arch_specific_syscall\|syscalls\) /d; s/^#define __NR_\([a-z0-9_]*\) .*$/lever [__NR_\1] = "\1",/p'
} | "$@" -E -P - | sed -n 's/^lever \(\[[0-9]*\] = .*\)$/\1/p'
