/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names - finds the progress points and targets that the user named.
 *
 * First in the executable, then in the libraries that it loads, then, while it runs, in every
 * further file: what a script starts, what dlopen loads.
 */
#include "experiment/session/state.h"

#include "base/cleanup.h"
#include "collect/process/libraries.h"
#include "experiment/progress/progress_kinds.h"
#include "experiment/target/call_chains.h"
#include "experiment/target/target_pattern.h"
#include "symbolize/kernel/kernel_debug_file.h"
#include "symbolize/python.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void add_library(void *context, const char *path)
{
	struct session *session = context;
	uint32_t object;
	symbols_add_object(session->symbols, path, NULL, false, &object, NULL);
}

/* Adds the libraries that the program loads; false if that was done before. */
static bool add_libraries(struct session *session)
{
	if (session->has_added_libraries)
		return false;
	session->has_added_libraries = true;
	if (!session->driver.program_path) {
		session_processes_add_files(session);
		return true;
	}
	AUTO(text) char *real = realpath(session->driver.program_path, NULL);
	libraries_each(real ? real : session->driver.program_path, add_library, session);
	return true;
}

/* Of a point in several binaries, the first that has it is not enough. */
static bool needs_libraries(const struct session_options *options)
{
	bool does = false;

	for (size_t i = 0; i < options->point_count; i++)
		does = does || options->points[i].kind->is_in_all_files;
	for (size_t i = 0; i < options->pair_count; i++)
		does = does || options->pairs[i].begin.kind->is_in_all_files ||
		       options->pairs[i].end.kind->is_in_all_files;
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
	driver_message(&session->driver,
		       "asking the servers of DEBUGINFOD_URLS for the kernel's debug information");
	return kernel_debug_file_fetch();
}

static int add_kernel(struct session *session, struct error *error)
{
	const struct session_options *options = session->options;
	AUTO(text) char *found = options->vmlinux ? NULL : find_vmlinux(session);
	const char *vmlinux = options->vmlinux ? options->vmlinux : found;
	int code = symbols_add_kernel(session->symbols, "/proc/kallsyms", vmlinux, options->kernel,
				      error);
	if (code && found) /* it was not asked for: without lines */
		code = symbols_add_kernel(session->symbols, "/proc/kallsyms", NULL, options->kernel,
					  error);
	if (code && options->vmlinux)
		session->driver.result->end = DRIVER_WRONG_USAGE;
	return code;
}

int session_enable_target_kinds(struct session *session, struct error *error)
{
	const struct session_options *options = session->options;
	struct collector_target_kinds kinds = {
		.kernel = options->kernel || options->vmlinux,
		.classes = target_wait_classes(options->classes),
		.classes_of_code = options->classes && options->target_count,
	};

	target_kinds_enable(&kinds, options->granularity, NULL);
	kinds.callers |= options->focus != NULL;
	sampled_code_focus(session->code)->function = options->focus;
	if (session->is_pool)
		target_all.enable(&kinds, NULL);
	for (size_t i = 0; i < session_named_count(session); i++)
		target_kinds_enable(&kinds, options->granularity,
				    session_named_target(session, i)->name);
	int code = kinds.kernel ? add_kernel(session, error) : 0;
	sampled_code_set_kind(session->code, options->granularity);
	if (session->is_pool)
		sampled_code_set_pool(session->code);
	sampled_code_set_chains(session->code, kinds.callers);
	collector_want_callers(session->collector, CALL_CHAINS_ONE_OF);
	/* The kernel engine measures spans, too. */
	session->listens_to_spans =
		kinds.spans || !strcmp(collector_engine(session->collector), "kernel");
	return code ? code : collector_enable(session->collector, &kinds, error);
}

/* Of a pattern: whether something matches; no location. */
int session_find_known(struct session *session, const char *name, uint32_t *location,
		       struct error *error)
{
	struct target_lookup *lookup = sampled_code_lookup(session->code);

	return target_pattern_is(name) ? target_pattern_find(lookup, name, error) :
					 target_kind_find(lookup, name, location, error);
}

static int find_target(struct session *session, const char *name, uint32_t *location,
		       struct error *error)
{
	int code = session_find_known(session, name, location, error);

	if ((code == -ENOENT || code == -ENXIO) && target_kind_of_name(name)->is_in_files &&
	    add_libraries(session))
		code = session_find_known(session, name, location, error);
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
	if (!code && options->after_point) {
		code = progress_points_await(session->points, options->after_point, error);
		if (code == -ENXIO && add_libraries(session))
			code = progress_points_await(session->points, options->after_point, error);
	}
	code = code ? code : session_requests_open(session, error);
	AUTO(text) char *missing = progress_points_missing(session->points);
	if (!code && missing && add_libraries(session))
		code = progress_points_retry(session->points, error);
	return code;
}

int session_resolve_names(struct session *session, struct error *error)
{
	int code = session_find_targets(session, find_target, true, error);

	code = code ? code : set_points(session, error);
	if (code == -ENOENT || code == -ENXIO || code == -ENOTUNIQ || code == -EINVAL)
		session->driver.result->end = DRIVER_WRONG_USAGE;
	session->searched_objects = symbols_object_count(session->symbols);
	return code;
}

/* May an awaited name appear without a new file? */
static bool may_appear(const struct session *session)
{
	bool may = false;

	for (size_t i = 0; i < session->named.count; i++)
		may |= !session->named.items[i].is_found &&
		       target_kind_of_name(session_named_target(session, i)->name)->appears_late;
	return may;
}

int session_retry_names(struct session *session, struct error *error)
{
	uint32_t objects = symbols_object_count(session->symbols);

	bool has_new_code = symbols_names_may_appear(session->symbols) &&
			    symbols_generation(session->symbols) != session->searched_generation;
	if (objects == session->searched_objects && !may_appear(session) && !has_new_code)
		return 0;
	session->searched_objects = objects;
	session->searched_generation = symbols_generation(session->symbols);
	int code = session_find_targets(session, find_target, false, error);
	code = code ? code : progress_points_retry(session->points, error);
	if (code == -ENOTUNIQ)
		session->driver.result->end = DRIVER_NO_POINTS;
	return code;
}
