/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_session - passes the recorder's events to mapped_files, processes and the `sample`
 * function.
 */
#include "record/record_session.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "collect/bpf/overhead.h"
#include "collect/process/libraries.h"
#include "experiment/target/python_events.h"
#include "symbolize/parser/start.h"

#include <errno.h>
#include <signal.h>

/* ---- events of the recorder ---- */

static void on_sample(void *context, const struct record_sample *sample)
{
	struct record_session *session = context;

	for (uint32_t i = 0; i < sample->user_count && i < RECORD_USER_FRAMES_MOST; i++) {
		uint32_t object = sample->user[i].object;
		if (object != WIRE_OBJECT_UNKNOWN && object < WIRE_OBJECTS_MOST)
			mapped_files_use(session->mapped_files, object - 1, sample->time_ns);
	}
	session->sample(session->context, sample);
}

static void on_object(void *context, const struct kernel_object_event *event)
{
	mapped_files_on_object(((struct record_session *)context)->mapped_files, event);
}

static void on_process(void *context, const struct kernel_process_event *event)
{
	struct live_processes *processes = &((struct record_session *)context)->processes;

	if (event->kind == KERNEL_EVENT_FORK)
		live_processes_add(processes, (pid_t)event->tgid);
	else if (event->kind == KERNEL_EVENT_EXIT)
		live_processes_remove(processes, (pid_t)event->tgid);
}

static void on_python_code(void *context, const struct wire_python_code *code, size_t bytes)
{
	if (python_events_are_whole(code, bytes))
		python_events_on_code(((struct record_session *)context)->symbols, code);
}

static void on_path(void *context, const struct wire_file *file, const char *path)
{
	mapped_files_on_path(((struct record_session *)context)->mapped_files, file, path);
}

/* ---- calls to the recorder ---- */

static int name_object(void *context, const struct wire_file *file, uint32_t object)
{
	return recorder_name_object(context, file, object);
}

static int set_unwind(void *context, uint32_t object, const struct wire_unwind_row *rows,
		      size_t count)
{
	return recorder_set_unwind(context, object, rows, count);
}

static int set_python(void *context, uint32_t object, const struct wire_python *python)
{
	return recorder_set_python(context, object, python);
}

static void unname_file(void *context, const struct wire_file *file)
{
	recorder_unname_file(context, file);
}

static void drop_unwind(void *context, uint32_t object)
{
	recorder_drop_unwind(context, object);
}

/* ---- life ---- */

void record_session_configure(struct record_session *session, const char *binaries,
			      enum target_kind granularity)
{
	AUTO(text) char *pattern = text_format("bin:%s", binaries);

	session->scope = scope_new();
	scope_add(session->scope, pattern, true);
	session->symbols = symbols_start_renewable(granularity, session->scope);
	overhead_count_process(symbols_process(session->symbols));
}

static void add_library(void *context, const char *path)
{
	struct record_session *session = context;
	uint32_t object;
	symbols_add_object(session->symbols, path, NULL, false, &object, NULL);
}

void record_session_add_program(struct record_session *session, const char *path)
{
	AUTO(text) char *real = realpath(path, NULL);
	const char *file = real ? real : path;
	uint32_t object;

	/* A script is no object: what it runs is announced later. */
	if (!symbols_add_object(session->symbols, file, NULL, true, &object, NULL))
		libraries_each(file, add_library, session);
}

int record_session_open(struct record_session *session, const struct recorder_options *options,
			struct error *error)
{
	int code = recorder_open(options, &session->recorder, error);

	if (code)
		return code;
	struct mapped_files_sink sink = {.context = session->recorder,
					 .name_object = name_object,
					 .set_unwind = set_unwind,
					 .set_python = set_python};
	if (!recorder_limits(session->recorder)) {
		sink.unname_file = unname_file;
		sink.drop_unwind = drop_unwind;
	}
	session->mapped_files = mapped_files_new(session->symbols, &sink);
	for (uint32_t i = 0; i < symbols_object_count(session->symbols); i++)
		mapped_files_announce(session->mapped_files, i);
	session->handler = (struct recorder_handler){.context = session,
						     .sample = on_sample,
						     .object = on_object,
						     .process = on_process,
						     .python_code = on_python_code,
						     .path = on_path};
	return 0;
}

int record_session_add_process(struct record_session *session, pid_t pid, struct error *error)
{
	live_processes_add(&session->processes, pid);
	return recorder_add_process(session->recorder, pid, error);
}

void record_session_drain(struct record_session *session)
{
	recorder_drain(session->recorder, &session->handler);
}

bool record_session_tidy(struct record_session *session)
{
	mapped_files_sweep(session->mapped_files, clock_now_ns());
	if (!symbols_renew_if_needed(session->symbols))
		return false;
	overhead_replace_process(symbols_process(session->symbols));
	return true;
}

void record_session_close(struct record_session *session)
{
	recorder_close(session->recorder);
	live_processes_release(&session->processes);
	mapped_files_free(session->mapped_files);
	symbols_free(session->symbols);
	scope_free(session->scope);
}
