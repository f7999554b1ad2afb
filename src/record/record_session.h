/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_session - a recorder, the processes that it samples, and the files that they map, by which
 * samples get their names.
 *
 * Life: zeroed; record_session_configure; record_session_add_program, if there is one;
 * record_session_open; then processes are added, the recorder is started, and drained by
 * record_session_drain. record_session_close is allowed at any time.
 */
#pragma once

#include "collect/record/recorder.h"
#include "driver/live_processes.h"
#include "experiment/target/mapped_files.h"
#include "symbolize/scope.h"
#include "symbolize/symbols.h"

struct record_session {
	struct scope *scope;
	struct symbols *symbols;
	struct recorder *recorder;
	struct mapped_files *mapped_files;
	struct live_processes processes;
	struct recorder_handler handler; /* of all events; its context is the session */
	void *context;                   /* of `sample` */
	void (*sample)(void *context, const struct record_sample *sample);
};

/* The binaries in scope (a glob), and the granularity of their code. */
void record_session_configure(struct record_session *session, const char *binaries,
			      enum target_kind granularity);
/* Reads the files that the program maps at its start, so that its first samples have names. */
void record_session_add_program(struct record_session *session, const char *path);
/* After `context` and `sample` are set. */
int record_session_open(struct record_session *session, const struct recorder_options *options,
			struct error *error);
int record_session_add_process(struct record_session *session, pid_t pid, struct error *error);
void record_session_drain(struct record_session *session);
/*
 * Between samples, with all of them named: gives back what is held for code that runs no more.
 * True: the symbols have forgotten all locations and names, as symbols_renew_if_needed tells.
 */
bool record_session_tidy(struct record_session *session);
void record_session_close(struct record_session *session);
