/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorder - samples of tasks on and off CPU for `lever record`: by BPF, or where that is refused
 * by perf events (perf_sampler.h).
 *
 * Life: recorder_open (everything is loaded, nothing is sampled), recorder_add_process, then
 * recorder_start, recorder_drain every 50 ms or so, recorder_stop, recorder_close. It holds no
 * names of code. One thread uses it.
 */
#pragma once

#include "base/error.h"
#include "collect/python_table.h"
#include "wire/kernel.h"
#include "wire/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct recorder;
struct recording_overhead;

struct recorder_options {
	uint64_t period_ns;
	enum record_unwinding unwinding;
	bool is_system_wide;
	bool verbose;
};

/* Sums over all cores, so far. */
struct recorder_counters {
	uint64_t samples;
	uint64_t lost;        /* samples that found the ring full */
	uint64_t truncated;   /* user chains that end before their root */
	uint64_t overwritten; /* waits of a task whose slot another task took */
	uint64_t not_held;    /* waits beyond RECORD_HELD_MOST at the same time */
	uint64_t lost_events; /* announcements of processes and files that found the ring full */
	uint64_t untracked_spaces; /* processes for which there was no room: no user frames */
};

struct recorder_handler {
	void *context;
	/* Also wake-ups, by their kind. */
	void (*sample)(void *context, const struct record_sample *sample);
	void (*object)(void *context, const struct kernel_object_event *event);
	void (*process)(void *context, const struct kernel_process_event *event);
	/* A Python code object, cut to `bytes`. */
	void (*python_code)(void *context, const struct wire_python_code *code, size_t bytes);
	/* A file that could not be named by `object`, as its process may have gone. */
	void (*path)(void *context, const struct wire_file *file, const char *path);
};

int recorder_open(const struct recorder_options *options, struct recorder **recorder,
		  struct error *error);
void recorder_close(struct recorder *recorder);

/* A sentence about what perf events cannot see; NULL with BPF. Borrowed. */
const char *recorder_limits(const struct recorder *recorder);

/* Records the process and its later children. */
int recorder_add_process(struct recorder *recorder, pid_t pid, struct error *error);
void recorder_start(struct recorder *recorder);
void recorder_stop(struct recorder *recorder);

/*
 * Loads the program that recorder_sample_blocked needs, which the kernel checks for as long as all
 * others together (65 ms). To be called before recorder_stop, so that waits do not grow meanwhile.
 */
int recorder_prepare_blocked(struct recorder *recorder, struct error *error);
/* Drains, and hands on a sample of each task that is off CPU, for its time up to now. */
int recorder_sample_blocked(struct recorder *recorder, const struct recorder_handler *handler,
			    struct error *error);

int recorder_name_object(struct recorder *recorder, const struct wire_file *file, uint32_t object);
int recorder_set_unwind(struct recorder *recorder, uint32_t object,
			const struct wire_unwind_row *rows, size_t count);
/* The reverse of both; with BPF only. */
void recorder_unname_file(struct recorder *recorder, const struct wire_file *file);
void recorder_drop_unwind(struct recorder *recorder, uint32_t object);

/* -ENOTSUP without BPF. */
int recorder_set_python(struct recorder *recorder, uint32_t object,
			const struct wire_python *python);

void recorder_drain(struct recorder *recorder, const struct recorder_handler *handler);
/* Becomes readable when a file is announced. */
int recorder_descriptor(const struct recorder *recorder);
void recorder_counters(const struct recorder *recorder, struct recorder_counters *counters);
/* After recorder_stop, once; without ticks on cores that ran other programs. */
void recorder_overhead(struct recorder *recorder, struct recording_overhead *row);
