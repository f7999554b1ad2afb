/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_script_line - one line of the text that `perf script` prints. The line is changed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* "comm  12/34 [001] 5.678901:  1000 cpu-clock:u: ", and in the same line perhaps a frame. */
struct perf_script_head {
	char *comm, *event, *rest; /* what stands behind the event: a frame, or nothing */
	uint64_t pid, tid, period;
	unsigned cpu;
	bool has_cpu, has_period;
	double seconds;
};

/* "  7f12 name+0x34 (/usr/bin/x)" */
struct perf_script_frame {
	char *name, *object; /* NULL: unknown */
	bool is_kernel;
	bool is_inlined; /* its object is that of the frame behind it */
};

/* How an event's period is to be read. */
enum perf_script_weight { WEIGHT_NS, WEIGHT_CYCLES, WEIGHT_OFF_CPU, WEIGHT_NONE };

/* A line that holds a time is a sample's first one; others are of its frames. */
bool perf_script_has_time(char *line);
/* False, and no event: it is not a sample's first line, or lacks a field. */
bool perf_script_read_head(char *line, struct perf_script_head *head);
/* Of a line without a time: with one it would be a sample's first. */
bool perf_script_lacks_time(const char *line);
/* False: it begins with no address. */
bool perf_script_read_frame(char *line, struct perf_script_frame *frame);
/* "  work.c:12", below a frame: the file's name, and its line; false: it is none. */
bool perf_script_read_source(char *line, char **file, unsigned *number);

enum perf_script_weight perf_script_weight(const char *event);
/* Without modifiers: "cycles" of "cpu_core/cycles/P", "cpu-clock" of "cpu-clock:ppp". */
const char *perf_script_bare_event(const char *event, int *length);
