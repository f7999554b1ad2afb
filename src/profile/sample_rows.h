/* SPDX-License-Identifier: BSD-2-Clause */
/* sample_rows - rows of runs of lever record. See recording.h. */
#pragma once

#include "profile/kinds.h"

#include <stdint.h>

#define SAMPLE_CLASSES 6
struct recording_frame {
	int64_t id;
	enum frame_kind kind;
	char *function; /* NULL: unknown */
	char *file;
	unsigned line; /* 0: unknown */
	char *object;  /* path of the binary; of kernel code the module, or NULL */
	char *content; /* what its source line says (symbolize/source_lines); NULL: unknown */
};

/* A call chain: its innermost frame, and the chain of the caller. */
struct recording_stack {
	int64_t id;
	uint64_t caller_id; /* always less than id; 0: outermost */
	int64_t frame_id;
};

struct recording_thread {
	int64_t id, run_id;
	unsigned pid, tid;
	char *command; /* its comm */
};

/* The sum of a thread's samples with equal stack, class, system call and address. */
struct recording_stack_sample {
	int64_t id, run_id, thread_id;
	uint64_t stack_id; /* 0: unknown */
	enum sample_class class;
	char *subclass;    /* of the class; NULL: none */
	char *system_call; /* off CPU: that the thread was in; NULL: none */
	uint64_t address;  /* class L: of the futex; else 0 */
	uint64_t samples;
	uint64_t weight_ns;
	double variance; /* of weight_ns, in ns^2 */
	char *resource;  /* what the thread waited for: a variable, a file, a peer; NULL: unknown */
};

/* Waits for a futex that a thread ended by waking the waiter, by stack of the waking thread. */
struct recording_wakeup {
	int64_t id, run_id, thread_id;
	uint64_t stack_id;
	unsigned pid;     /* of the process that waited */
	uint64_t address; /* of the futex there */
	uint64_t samples;
	uint64_t weight_ns; /* of the waits */
};
