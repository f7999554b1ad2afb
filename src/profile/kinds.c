/* SPDX-License-Identifier: BSD-2-Clause */
/* kinds - the names of enum values in files and reports. */
#include "profile/kinds.h"

#include "profile/chunk.h"

#include <string.h>

#define NAME(names, value) ((value) < sizeof(names) / sizeof(*(names)) ? (names)[value] : NULL)

static const char *const target_kind_names[] = {
	[TARGET_LINE] = "line",           [TARGET_FUNCTION] = "function",
	[TARGET_SPAN] = "span",           [TARGET_SYSTEM_CALL] = "syscall",
	[TARGET_CLASS] = "class",         [TARGET_EXTERNAL] = "outside",
	[TARGET_INCLUSIVE] = "inclusive", [TARGET_SET] = "set",
	[TARGET_PROCESS] = "process",
};
static const char *const point_kind_names[] = {
	[POINT_THROUGHPUT] = "throughput",
	[POINT_LATENCY] = "latency",
	[POINT_SAMPLED] = "sampled",
	[POINT_END_TO_END] = "end-to-end",
};
static const char *const verdict_names[] = {
	[VERDICT_COUNTED] = "counted",
	[VERDICT_DISPLACED] = "displaced",
	[VERDICT_TOO_FEW_VISITS] = "too few visits",
	[VERDICT_CUT_SHORT] = "cut short",
};

static const char *const run_kind_names[] = {
	[RUN_CAUSAL] = "causal",
	[RUN_SAMPLES] = "samples",
	[RUN_TIMELINE] = "timeline",
	[RUN_SCALE] = "scale",
};
static const char *const frame_kind_names[] = {
	[FRAME_USER] = "user",
	[FRAME_KERNEL] = "kernel",
};
static const char *const set_search_end_names[] = {
	[SET_SEARCH_END_UNFINISHED] = "unfinished",
	[SET_SEARCH_END_FOUND] = "found",
	[SET_SEARCH_END_NOTHING] = "nothing",
	[SET_SEARCH_END_SPREAD] = "spread",
};
static const char *const chunk_kind_names[] = {
	[CHUNK_SCHEDULER] = "scheduler",
	[CHUNK_TASKS] = "tasks",
	[CHUNK_INTERRUPTS] = "interrupts",
	[CHUNK_MARKS] = "marks",
};
static const char *const sample_class_names[] = {
	[CLASS_USER] = "user", [CLASS_KERNEL] = "kernel", [CLASS_IO] = "I",
	[CLASS_LOCK] = "L",    [CLASS_RUNNABLE] = "S",    [CLASS_OTHER] = "B",
};

bool target_is_sleep(enum target_kind kind, const char *name)
{
	static const char *const names[] = {"syscall:clock_nanosleep", "syscall:nanosleep",
					    "syscall:pause", "syscall:rt_sigtimedwait"};

	for (size_t i = 0; kind == TARGET_SYSTEM_CALL && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

const char *target_kind_name(unsigned kind)
{
	return NAME(target_kind_names, kind);
}

const char *point_kind_name(unsigned kind)
{
	return NAME(point_kind_names, kind);
}

const char *verdict_name(unsigned verdict)
{
	return NAME(verdict_names, verdict);
}

const char *run_kind_name(unsigned kind)
{
	return NAME(run_kind_names, kind);
}

const char *frame_kind_name(unsigned kind)
{
	return NAME(frame_kind_names, kind);
}

const char *set_search_end_name(unsigned end)
{
	return NAME(set_search_end_names, end);
}

const char *chunk_kind_name(unsigned kind)
{
	return NAME(chunk_kind_names, kind);
}

const char *sample_class_name(unsigned class)
{
	return NAME(sample_class_names, class);
}
