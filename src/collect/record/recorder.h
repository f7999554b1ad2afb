/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorder - the hands of `lever record`: samples of tasks on and off CPU, by BPF, or, where that is
 * refused, by perf events (collect/perf_sampler.h).
 *
 * Life: recorder_open (everything is loaded, nothing is sampled), recorder_add_process, then
 * recorder_start, recorder_drain every 50 ms or so, recorder_stop, recorder_close. It holds no names.
 * One thread uses it.
 */
#pragma once

#include "base/error.h"
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

/* What was sampled so far, on all cores. */
struct recorder_counters {
	uint64_t samples, looks; /* on CPU; at time off CPU */
	uint64_t still_blocked;  /* looks at time off CPU that was not over */
	uint64_t lost, lost_ns;  /* that found the ring full, and what they stood for */
	uint64_t truncated;      /* user chains that end before their root */
	uint64_t overwritten;    /* blocks that were forgotten: more tasks than slots */
	uint64_t lost_events, failed_lookups, untracked_spaces;
};

struct recorder_handler {
	void *context;
	void (*sample)(void *context, const struct record_sample *sample);
	void (*object)(void *context, const struct kernel_object_event *event);
	void (*process)(void *context, const struct kernel_process_event *event);
	/* A file that could not be named by `object`, as its process may have gone. */
	void (*path)(void *context, const struct wire_file *file, const char *path);
};

int recorder_open(const struct recorder_options *options, struct recorder **recorder,
		  struct error *error);
void recorder_close(struct recorder *recorder);

/* What this way of recording cannot see: a sentence; NULL if nothing. Borrowed. */
const char *recorder_limits(const struct recorder *recorder);

/* The process and what it forks from now on. */
int recorder_add_process(struct recorder *recorder, pid_t pid, struct error *error);
void recorder_start(struct recorder *recorder);
void recorder_stop(struct recorder *recorder);

/* Drains, and hands on samples of all tasks that are off CPU now, up to now. */
int recorder_sample_blocked(struct recorder *recorder, const struct recorder_handler *handler,
			    struct error *error);

int recorder_name_object(struct recorder *recorder, const struct wire_file *file, uint32_t object);
int recorder_set_unwind(struct recorder *recorder, uint32_t object,
			const struct wire_unwind_row *rows, size_t count);

void recorder_drain(struct recorder *recorder, const struct recorder_handler *handler);
/* A descriptor that becomes readable when a file is announced. */
int recorder_descriptor(const struct recorder *recorder);
void recorder_counters(const struct recorder *recorder, struct recorder_counters *counters);
/* After recorder_stop, once: what it took; ticks on cores that did something else are not in it. */
void recorder_overhead(struct recorder *recorder, struct recording_overhead *row);
