/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uprobe - attaches a BPF program to an instruction of a file that is open.
 *
 * Never by a path: between the reading of a binary and the attachment its owner could put another
 * file there, such as a library of everybody, and the probe would break its code.
 */
#pragma once

#include <stdint.h>

struct bpf_link;
struct bpf_program;

struct bpf_uprobe_place {
	int fd;
	uint64_t offset, semaphore_offset; /* in the file; 0: no semaphore */
};

/* NULL on failure, with errno. */
struct bpf_link *bpf_uprobe_attach(const struct bpf_program *program,
				   const struct bpf_uprobe_place *place, uint64_t cookie);
