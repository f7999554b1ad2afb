/* SPDX-License-Identifier: BSD-2-Clause */
/* state - the variables that all files of the library share (runtime.h). */
#include "runtime/runtime.h"

__thread struct thread thread_self RUNTIME_INTERNAL_TLS;
struct runtime_page *runtime_page;
struct runtime_process *runtime_process;
uint32_t runtime_cores = 1;
