/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_session - a recorder with those that it looks at: the processes, and the mapped_files that they map, which
 * give its samples their names.
 *
 * Life: zeroed, record_session_configure, record_session_add_program if there is one, record_session_open; then processes are added to
 * `recorded_processes`, the recorder is started, and drained by record_session_drain; record_session_close, at any time, also of a
 * zeroed one.
 */
#pragma once

#include "collect/record/recorder.h"
#include "experiment/target/mapped_files.h"
#include "record/recorded_processes.h"
#include "symbolize/scope.h"
#include "symbolize/symbols.h"

struct record_session {
	struct scope *scope;
	struct symbols *symbols;
	struct recorder *recorder;
	struct mapped_files *mapped_files;
	struct recorded_processes *processes;
	struct recorder_handler
		handler; /* of all that the recorder sends; its context is the record_session */
	void *context;   /* of `sample` */
	void (*sample)(void *context, const struct record_sample *sample);
};

/* The binaries in scope, and how code is told apart. */
void record_session_configure(struct record_session *session, const char *binaries,
			      enum target_kind granularity);
/* What will be mapped at the start is read before: the first samples are named, too. */
void record_session_add_program(struct record_session *session, const char *path);
/* After `context` and `sample` are set. */
int record_session_open(struct record_session *session, const struct recorder_options *options,
			struct error *error);
void record_session_drain(struct record_session *session);
void record_session_close(struct record_session *session);
