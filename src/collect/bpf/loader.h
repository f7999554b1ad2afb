/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loader - what loading BPF programs needs, whichever object they are from.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>

/* Whether libbpf writes its warnings and the verifier's log to stderr. */
void bpf_loader_set_verbose(bool verbose);
/* Cores whose state the BPF programs can hold: their numbers are smaller. */
unsigned bpf_loader_cores_most(void);
/* -E2BIG: the machine has more than KERNEL_CPUS_MOST cores, those that are offline included. */
int bpf_loader_check_cores(struct error *error);
/* Tells loaded programs the namespace of this process's id (bpf/task_ids.h); 0 or -errno. */
struct bpf_program;
int bpf_loader_note_engine(const struct bpf_program *note_engine);
/* Says why the programs could not be loaded, and what to do; returns the code. */
int bpf_loader_explain(int code, struct error *error);
