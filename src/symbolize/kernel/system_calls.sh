#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The numbers of system calls as C initializers. Usage: system_calls.sh COMPILER...
echo '#include <sys/syscall.h>' | "$@" -E -dM - |
	sed -n 's/^#define __NR_\([a-z0-9_]*\) \([0-9]*\)$/[\2] = "\1",/p'
