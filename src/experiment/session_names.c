/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session_names - finds the progress points and targets that the user named.
 *
 * First in the executable, then in the libraries that it will load, then, while it runs, in every
 * further file that turns up: what a script starts, what is loaded by dlopen.
 */
#include "experiment/session_state.h"

#include "base/clock.h"
#include "base/own.h"
#include "collect/libraries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define KERNEL_PREFIX "kernel:"
#define WAIT_NS 3000000000ull /* for points to appear */

static void add_library(void *context, const char *path)
{
	struct session *session = context;
	uint32_t object;
	symbols_add_object(session->symbols, path, NULL, false, &object, NULL);
}

/* Makes the libraries known; false if they are already. */
static bool know_libraries(struct session *session)
{
	AUTO(text) char *real = realpath(session->program_path, NULL);

	if (session->knows_libraries)
		return false;
	session->knows_libraries = true;
	libraries_each(real ? real : session->program_path, add_library, session);
	return true;
}

/* Where distributions put a vmlinux with debug information; to be freed, NULL if there is none. */
static char *find_vmlinux(void)
{
	static const char *const places[] = {"/usr/lib/debug/boot/vmlinux-%s",
					     "/usr/lib/debug/lib/modules/%s/vmlinux",
					     "/boot/vmlinux-%s", "/lib/modules/%s/build/vmlinux"};
	struct utsname host;

	uname(&host);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const char *mark = strstr(places[i], "%s");
		AUTO(text)
		char *path = text_format("%.*s%s%s", (int)(mark - places[i]), places[i],
					 host.release, mark + 2);
		if (!access(path, R_OK))
			return take(&path);
	}
	return NULL;
}

static bool names_kernel(const struct session_options *options)
{
	for (size_t i = 0; i < options->target_count; i++)
		if (!strncmp(options->targets[i], KERNEL_PREFIX, strlen(KERNEL_PREFIX)))
			return true;
	return options->kernel || options->vmlinux;
}

int session_know_kernel(struct session *session, struct error *error)
{
	const struct session_options *options = session->options;

	if (!names_kernel(options))
		return 0;
	AUTO(text) char *found = options->vmlinux ? NULL : find_vmlinux();
	const char *vmlinux = options->vmlinux ? options->vmlinux : found;
	int code = symbols_add_kernel(session->symbols, "/proc/kallsyms", vmlinux, options->kernel,
				      error);
	if (code && found) /* nobody asked for it: without lines, then */
		code = symbols_add_kernel(session->symbols, "/proc/kallsyms", NULL, options->kernel,
					  error);
	if (!code)
		collector_see_kernel(session->collector);
	else if (options->vmlinux)
		session->result->end = SESSION_WRONG_USAGE;
	return code;
}

static int set_target(struct session *session, const char *name, struct error *error)
{
	uint32_t place;
	bool is_kernel = !strncmp(name, KERNEL_PREFIX, strlen(KERNEL_PREFIX));
	int code = is_kernel ? symbols_find_kernel(session->symbols, name + strlen(KERNEL_PREFIX),
						   &place, error) :
			       symbols_find(session->symbols, name, &place, error);

	if ((code == -ENOENT || code == -ENXIO) && !is_kernel && know_libraries(session))
		code = symbols_find(session->symbols, name, &place, error);
	if (code)
		return code;
	size_t index = session_target_of(session, place);
	session->targets.items[index].is_given = true;
	code_watch(session->code, place);
	return 0;
}

static int set_targets(struct session *session, struct error *error)
{
	int code = 0;

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

	for (size_t i = 0; i < options->point_count && !code; i++) {
		code = points_add(session->points, &options->points[i], error);
		if (code == -ENXIO && know_libraries(session))
			code = points_add(session->points, &options->points[i], error);
	}
	for (size_t i = 0; i < options->pair_count && !code; i++) {
		code = points_add_pair(session->points, &options->pairs[i], error);
		if (code == -ENXIO && know_libraries(session))
			code = points_add_pair(session->points, &options->pairs[i], error);
	}
	if (!code && points_missing(session->points) && know_libraries(session))
		code = points_retry(session->points, error);
	return code;
}

int session_set_names(struct session *session, struct error *error)
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
	size_t kept = 0;
	int code = 0;

	if (objects == session->searched_objects)
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
	code = code ? code : points_retry(session->points, error);
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
	AUTO(text) char *appeared = points_appeared(session->points);

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

int session_refuse_names(struct session *session, bool has_ended, struct error *error)
{
	const struct session_options *options = session->options;

	if (!has_ended && clock_now_ns() - session->started_ns < WAIT_NS)
		return 0;
	if (options->target_count && session->awaited_targets.count == options->target_count) {
		*error = session->missing_target;
		return refuse(session, error);
	}
	if (points_ready(session->points))
		return 0;
	const char *missing = points_missing(session->points);
	if (missing)
		return refuse_missing_point(session, missing, error);
	if (has_ended)
		return 0;
	if (!options->point_count && !options->pair_count)
		return refuse_without_points(session, error);
	if (!session->has_said_waiting)
		options->say(options->context, "waiting for the first visit of a progress point");
	session->has_said_waiting = true;
	return 0;
}
