/* SPDX-License-Identifier: BSD-2-Clause */
/* names - names of samples, their classes and their code. The caller frees the texts. */
#pragma once

#include "analyze/samples/samples.h"

/* "[.]" user code, "[k]" kernel, "[I]", "[L]", "[S]", "[B]" off CPU */
const char *samples_class_mark(enum sample_class class);
/* "I/O", "locks", "runnable, waiting for a CPU" */
const char *samples_class_title(enum sample_class class);
/* Clean: "read_block"; "libc.so.6" if the function is unknown, else "?" */
char *samples_function_name(const struct recording_frame *frame);
/* Clean: "[waiting for a lock: futex]" */
char *samples_wait_name(enum sample_class class, const char *subclass);
/* Clean: "io.c:42"; "" if unknown. */
char *samples_location_name(const struct recording_frame *frame);
/* "12.3 % ±0.4" */
char *samples_share_text(const struct samples_sum *sum);
/* The class with most of the time. */
enum sample_class samples_main_class(const uint64_t *by_class_ns);
