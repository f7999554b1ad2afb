/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session_names - finds the progress points and targets that the user named.
 *
 * First in the executable, then in the libraries that it will load, then, while it runs, in every
 * further file that turns up: what a script starts, what is loaded by dlopen.
 */
#include "experiment/session_state.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "collect/process/libraries.h"
#include "symbolize/kernel/kernel_debug_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_PREFIX "kernel:"
#define CALL_PREFIX "syscall:"
#define WAIT_NS 3000000000ull /* for points to appear */

static void add_library(void *context, const char *path)
{
	struct session *session = context;
	uint32_t object;
	symbols_add_object(session->symbols, path, NULL, false, &object, NULL);
}

/* Makes the libraries known; false if they are already. */
static bool add_libraries(struct session *session)
{
	if (session->has_added_libraries)
		return false;
	session->has_added_libraries = true;
	if (!session->program_path) {
		session_processes_add_files(session);
		return true;
	}
	AUTO(text) char *real = realpath(session->program_path, NULL);
	libraries_each(real ? real : session->program_path, add_library, session);
	return true;
}

/* Of a point in several binaries, the first that has it is not enough. */
static bool needs_libraries(const struct session_options *options)
{
	bool does = false;

	for (size_t i = 0; i < options->point_count; i++)
		does = does || options->points[i].kind == POINT_SPEC_BINARIES;
	for (size_t i = 0; i < options->pair_count; i++)
		does = does || options->pairs[i].begin.kind == POINT_SPEC_BINARIES ||
		       options->pairs[i].end.kind == POINT_SPEC_BINARIES;
	return does;
}

/* To be freed; NULL if there is none. Servers are asked for lines only: a vmlinux is large. */
static char *find_vmlinux(struct session *session)
{
	const struct session_options *options = session->options;
	AUTO(text) char *found = kernel_debug_file();

	if (found || !options->kernel || options->granularity != TARGET_LINE ||
	    !kernel_debug_file_may_fetch())
		return take(&found);
	options->say(options->context,
		     "asking the servers of DEBUGINFOD_URLS for the kernel's debug information");
	return kernel_debug_file_fetch();
}

static bool any_target_begins(const struct session_options *options, const char *prefix)
{
	for (size_t i = 0; i < options->target_count; i++)
		if (text_starts_with(options->targets[i], prefix))
			return true;
	return false;
}

static bool names_kernel(const struct session_options *options)
{
	return any_target_begins(options, KERNEL_PREFIX) || options->kernel || options->vmlinux;
}

static int add_kernel(struct session *session, struct error *error)
{
	const struct session_options *options = session->options;
	AUTO(text) char *found = options->vmlinux ? NULL : find_vmlinux(session);
	const char *vmlinux = options->vmlinux ? options->vmlinux : found;
	int code = symbols_add_kernel(session->symbols, "/proc/kallsyms", vmlinux, options->kernel,
				      error);
	if (code && found) /* nobody asked for it: without lines, then */
		code = symbols_add_kernel(session->symbols, "/proc/kallsyms", NULL, options->kernel,
					  error);
	if (code && options->vmlinux)
		session->result->end = SESSION_WRONG_USAGE;
	return code;
}

/* Classes (CLASS_BIT) as the kernel side knows them. */
static uint32_t kernel_classes(uint32_t classes)
{
	static const uint32_t bits[] = {[CLASS_IO] = WAIT_CLASS_BIT(WAIT_CLASS_IO),
					[CLASS_LOCK] = WAIT_CLASS_BIT(WAIT_CLASS_LOCK),
					[CLASS_RUNNABLE] = WAIT_CLASS_BIT(WAIT_CLASS_RUNNABLE),
					[CLASS_OTHER] = WAIT_CLASS_BIT(WAIT_CLASS_OTHER)};
	uint32_t result = 0;

	for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++)
		if (classes & CLASS_BIT(i))
			result |= bits[i];
	return result;
}

int session_enable_target_kinds(struct session *session, struct error *error)
{
	const struct session_options *options = session->options;
	struct collector_target_kinds target_kinds = {
		.kernel = names_kernel(options),
		.calls = options->granularity == TARGET_SYSTEM_CALL ||
			 any_target_begins(options, CALL_PREFIX),
		.spans = options->granularity == TARGET_SPAN ||
			 any_target_begins(options, SYMBOLS_SPAN_PREFIX),
		.classes = kernel_classes(options->classes),
		.classes_of_code = options->classes && options->target_count,
	};
	int code = target_kinds.kernel ? add_kernel(session, error) : 0;

	sampled_code_set_kind(session->code, options->granularity);
	session->enables_spans = target_kinds.spans;
	/* The kernel engine measures spans, too. */
	session->listens_to_spans =
		target_kinds.spans || !strcmp(collector_engine(session->collector), "kernel");
	return code ? code : collector_enable(session->collector, &target_kinds, error);
}

/* Spans appear when they are begun for the first time. */
static int find_span(struct session *session, const char *name, uint32_t *place,
		     struct error *error)
{
	if (!sampled_code_has_span(session->code, name))
		return error_set(error, -ENOENT,
				 "the program has begun no span '%s' (LEVER_SPAN or LEVER_BEGIN of "
				 "lever.h)",
				 name);
	*place = symbols_span(session->symbols, name);
	return 0;
}

static int find_target(struct session *session, const char *name, uint32_t *place,
		       struct error *error)
{
	if (text_starts_with(name, SYMBOLS_SPAN_PREFIX))
		return find_span(session, name + strlen(SYMBOLS_SPAN_PREFIX), place, error);
	if (text_starts_with(name, CALL_PREFIX))
		return symbols_find_system_call(session->symbols, name + strlen(CALL_PREFIX), place,
						error);
	if (text_starts_with(name, KERNEL_PREFIX))
		return symbols_find_kernel(session->symbols, name + strlen(KERNEL_PREFIX), place,
					   error);
	int code = symbols_find(session->symbols, name, place, error);
	if ((code == -ENOENT || code == -ENXIO) && add_libraries(session))
		code = symbols_find(session->symbols, name, place, error);
	return code;
}

static void give_target(struct session *session, const struct target_code *what)
{
	size_t index = session_target_of(session, what->place); /* may move items */
	struct session_target *target = &session->targets.items[index];

	target->what = *what;
	target->is_given = true;
	sampled_code_watch(session->code, what);
}

/* Waits of each class that was asked for, of the code of a place or, with SYMBOLS_NONE, all. */
static void give_classes(struct session *session, uint32_t code)
{
	for (enum sample_class class = CLASS_IO; class <= CLASS_OTHER; class ++) {
		uint32_t asked = session->options->classes & CLASS_BIT(class);
		struct target_code what = {.code = code, .classes = kernel_classes(asked)};
		if (!asked)
			continue;
		what.place = symbols_wait_class(session->symbols, class, code);
		give_target(session, &what);
	}
}

static int set_target(struct session *session, const char *name, struct error *error)
{
	uint32_t place;
	int code = find_target(session, name, &place, error);

	if (code)
		return code;
	if (session->options->classes)
		give_classes(session, place);
	else
		give_target(session, &(struct target_code){.place = place, .code = place});
	return 0;
}

static int set_targets(struct session *session, struct error *error)
{
	int code = 0;

	if (!session->options->target_count)
		give_classes(session, SYMBOLS_NONE);
	for (size_t i = 0; i < session->options->target_count && !code; i++) {
		const char *name = session->options->targets[i];
		code = set_target(session, name, error);
		if (code != -ENOENT)
			continue;
		*array_add(&session->awaited_targets) = name;
		session->missing_target = *error;
		code = 0;
	}
	return code;
}

static int set_points(struct session *session, struct error *error)
{
	const struct session_options *options = session->options;
	int code = 0;

	if (needs_libraries(options))
		add_libraries(session);
	for (size_t i = 0; i < options->point_count && !code; i++) {
		code = progress_points_add(session->points, &options->points[i], error);
		if (code == -ENXIO && add_libraries(session))
			code = progress_points_add(session->points, &options->points[i], error);
	}
	for (size_t i = 0; i < options->pair_count && !code; i++) {
		code = progress_points_add_pair(session->points, &options->pairs[i], error);
		if (code == -ENXIO && add_libraries(session))
			code = progress_points_add_pair(session->points, &options->pairs[i], error);
	}
	if (!code && progress_points_missing(session->points) && add_libraries(session))
		code = progress_points_retry(session->points, error);
	return code;
}

int session_resolve_names(struct session *session, struct error *error)
{
	int code = set_targets(session, error);

	code = code ? code : set_points(session, error);
	if (code == -ENOENT || code == -ENXIO || code == -ENOTUNIQ || code == -EINVAL)
		session->result->end = SESSION_WRONG_USAGE;
	session->searched_objects = symbols_object_count(session->symbols);
	return code;
}

int session_retry_names(struct session *session, struct error *error)
{
	uint32_t objects = symbols_object_count(session->symbols);
	bool awaits_span = session->enables_spans && session->awaited_targets.count;
	size_t kept = 0;
	int code = 0;

	if (objects == session->searched_objects && !awaits_span)
		return 0;
	session->searched_objects = objects;
	for (size_t i = 0; i < session->awaited_targets.count; i++) {
		const char *name = session->awaited_targets.items[i];
		int found = code ? code : set_target(session, name, error);
		if (!found)
			continue;
		session->awaited_targets.items[kept++] = name;
		if (found == -ENOENT || found == -ENXIO)
			session->missing_target = *error;
		else
			code = found;
	}
	session->awaited_targets.count = kept;
	code = code ? code : progress_points_retry(session->points, error);
	if (code == -ENOTUNIQ)
		session->result->end = SESSION_NO_POINTS;
	return code;
}

static int refuse(struct session *session, struct error *error)
{
	session->result->end = SESSION_NO_POINTS;
	session->options->say(session->options->context, error->text); /* the program may run on */
	return error->code;
}

static int refuse_missing_point(struct session *session, const char *missing, struct error *error)
{
	AUTO(text) char *appeared = progress_points_appeared(session->points);

	error_set(error, -ENOENT, "%s%s%s", missing, appeared ? "; the program's points are: " : "",
		  appeared ? appeared : "");
	return refuse(session, error);
}

static int refuse_without_points(struct session *session, struct error *error)
{
	AUTO(text) char *candidates = session_candidates(session);

	error_set(error, -ENOENT,
		  "the program visits no progress point, so its progress cannot be measured; "
		  "name one with --progress FILE:LINE or --progress FUNCTION, put "
		  "LEVER_PROGRESS into its source (lever.h), or measure whole runs with "
		  "--end-to-end%s%s",
		  candidates ? ". Functions that it calls at a steady rate:\n" : "",
		  candidates ? candidates : "");
	return refuse(session, error);
}

int session_check_names(struct session *session, bool has_ended, struct error *error)
{
	const struct session_options *options = session->options;

	if (!has_ended && clock_now_ns() - session->started_ns < WAIT_NS)
		return 0;
	if (options->target_count && session->awaited_targets.count == options->target_count) {
		*error = session->missing_target;
		return refuse(session, error);
	}
	if (progress_points_visited(session->points))
		return 0;
	const char *missing = progress_points_missing(session->points);
	if (missing)
		return refuse_missing_point(session, missing, error);
	if (has_ended)
		return 0;
	if (!options->point_count && !options->pair_count)
		return refuse_without_points(session, error);
	if (!session->has_reported_waiting)
		options->say(options->context, "waiting for the first visit of a progress point");
	session->has_reported_waiting = true;
	return 0;
}
