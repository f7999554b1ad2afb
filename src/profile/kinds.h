/* SPDX-License-Identifier: BSD-2-Clause */
/* kinds - enums of a recording, and the names of their values in files and reports. */
#pragma once

#include <stdbool.h>

enum run_kind { RUN_CAUSAL, RUN_SAMPLES, RUN_TIMELINE, RUN_SCALE };
/* The first five and processes are granularities, too: kinds that a run chooses targets from. */
enum target_kind {
	TARGET_LINE,
	TARGET_FUNCTION,
	TARGET_SPAN,
	TARGET_SYSTEM_CALL,
	TARGET_INCLUSIVE, /* a function with all that it calls */
	TARGET_CLASS,
	TARGET_SET,      /* several targets, sped up together */
	TARGET_EXTERNAL, /* clocks, devices and other programs */
	TARGET_PROCESS   /* all processes of one name */
};
enum point_kind { POINT_THROUGHPUT, POINT_LATENCY, POINT_SAMPLED, POINT_END_TO_END };
enum verdict { VERDICT_COUNTED, VERDICT_DISPLACED, VERDICT_TOO_FEW_VISITS, VERDICT_CUT_SHORT };
enum sample_class { CLASS_USER, CLASS_KERNEL, CLASS_IO, CLASS_LOCK, CLASS_RUNNABLE, CLASS_OTHER };
/* How a search for sets that gain only together ended. */
enum set_search_end {
	SET_SEARCH_END_UNFINISHED,
	SET_SEARCH_END_FOUND,
	SET_SEARCH_END_NOTHING, /* what was tried gains together what it gains apart */
	SET_SEARCH_END_SPREAD   /* it gains more together, but no small set does */
};
#define CLASS_BIT(class) (1u << (class)) /* in a set of classes */
enum frame_kind { FRAME_USER, FRAME_KERNEL };
/* Objects that are no files: all scripts; JIT code of which no file tells the functions. */
#define RECORDING_PYTHON_OBJECT "Python code"
#define RECORDING_JIT_OBJECT "JIT code"

/* A target in which a thread sleeps, for a time or until a signal, as main often does. */
bool target_is_sleep(enum target_kind kind, const char *name);

/* The name of a value in files and reports, such as "end-to-end"; NULL for other numbers. */
const char *target_kind_name(unsigned kind);
const char *point_kind_name(unsigned kind);
const char *verdict_name(unsigned verdict);
const char *run_kind_name(unsigned kind);
const char *frame_kind_name(unsigned kind);
const char *set_search_end_name(unsigned end);
const char *chunk_kind_name(unsigned kind);
const char *sample_class_name(unsigned class); /* "user", "kernel", "I", "L", "S", "B" */
