/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * samples_words - what samples, their classes and their code are called. Whoever gets a text frees it.
 */
#pragma once

#include "analyze/samples/samples.h"

/* "[.]" user code, "[k]" kernel, "[I]", "[L]", "[S]", "[B]" off CPU */
const char *samples_class_mark(enum sample_class class);
/* "I/O", "locks", "runnable, waiting for a CPU" */
const char *samples_class_title(enum sample_class class);
/* Clean: "read_block", "libc.so.6" where the function is unknown, "?" */
char *samples_function_name(const struct recording_frame *frame);
/* Clean: "[waiting for a lock: futex]" */
char *samples_wait_name(enum sample_class class, const char *subclass);
/* Clean: "io.c:42", "" where it is unknown. */
char *samples_location_name(const struct recording_frame *frame);
/* "12.3 % ±0.4" */
char *samples_share_text(const struct samples_sum *sum);
/* The class that most of the time is of. */
enum sample_class samples_main_class(const uint64_t *by_class_ns);
