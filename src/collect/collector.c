/* SPDX-License-Identifier: BSD-2-Clause */
/* collector - opens an engine, and passes on the calls that it answers in its own way. */
#include "collect/engine.h"

#include <errno.h>

int collector_open(const struct collector_options *options, struct collector **collector,
		   struct error *error)
{
	if (options->engine == COLLECTOR_RUNTIME)
		return runtime_engine_open(options, false, collector, error);
	int code = options->group ? hosts_engine_open(options, collector, error) :
				    kernel_engine_open(options, collector, error);
	if (!code || options->group || options->engine == COLLECTOR_KERNEL ||
	    !options->runtime_library)
		return code;
	return runtime_engine_open(options, true, collector, error);
}

int collector_add_point_uprobe(struct collector *collector, const char *name,
			       const struct collector_code *code, unsigned *index,
			       struct error *error)
{
	return collector->engine->add_point_uprobe(collector, name, code, index, error);
}

int collector_add_point_tracepoint(struct collector *collector, const char *category,
				   const char *tracepoint, const char *name, unsigned *index,
				   struct error *error)
{
	return collector->engine->add_point_tracepoint(collector, category, tracepoint, name, index,
						       error);
}

int collector_add_point_requests(struct collector *collector, const char *name,
				 const struct collector_connections *connections, unsigned *index,
				 struct error *error)
{
	const struct engine *engine = collector->engine;

	if (engine->add_point_requests)
		return engine->add_point_requests(collector, name, connections, index, error);
	return error_set(error, -ENOTSUP,
			 "the %s engine cannot count requests; use --engine kernel as root or with "
			 "CAP_BPF and CAP_PERFMON",
			 engine->name);
}

void collector_add_listening_port(struct collector *collector, uint16_t port)
{
	if (collector->engine->add_listening_port)
		collector->engine->add_listening_port(collector, port);
}

void collector_service(const struct collector *collector, struct collector_service *service)
{
	*service = (struct collector_service){0};
	if (collector->engine->service)
		collector->engine->service(collector, service);
}

void collector_each_peer(const struct collector *collector,
			 void (*found)(void *context, const struct collector_peer *peer),
			 void *context)
{
	if (collector->engine->each_peer)
		collector->engine->each_peer(collector, found, context);
}

int collector_add_peer(struct collector *collector, pid_t pid, struct error *error)
{
	const struct engine *engine = collector->engine;
	return engine->add_peer ? engine->add_peer(collector, pid, error) : -ENOTSUP;
}

void collector_each_visiting_process(const struct collector *collector, unsigned index,
				     void (*found)(void *context, pid_t pid, const char *command,
						   uint64_t visits),
				     void *context)
{
	if (collector->engine->each_visiting_process)
		collector->engine->each_visiting_process(collector, index, found, context);
}

struct collector_lengths collector_pair_lengths(const struct collector *collector, unsigned pair)
{
	const struct engine *engine = collector->engine;
	return engine->pair_lengths ? engine->pair_lengths(collector, pair) :
				      (struct collector_lengths){0};
}

int collector_add_task(struct collector *collector, int pidfd, struct error *error)
{
	return collector->engine->add_task(collector, pidfd, error);
}

int collector_add_process(struct collector *collector, pid_t pid, struct error *error)
{
	const struct engine *engine = collector->engine;

	if (engine->add_process)
		return engine->add_process(collector, pid, error);
	return error_set(
		error, -ENOTSUP,
		"the %s engine profiles only what it starts; use --engine kernel as root or "
		"with CAP_BPF and CAP_PERFMON",
		engine->name);
}

int collector_exclude_process(struct collector *collector, pid_t pid, struct error *error)
{
	const struct engine *engine = collector->engine;
	return engine->exclude_process ? engine->exclude_process(collector, pid, error) : 0;
}

void collector_follow_all(struct collector *collector)
{
	if (collector->engine->follow_all)
		collector->engine->follow_all(collector);
}

int collector_filter_name(struct collector *collector, const char *name, bool is_wanted)
{
	const struct engine *engine = collector->engine;
	return engine->filter_name ? engine->filter_name(collector, name, is_wanted) : 0;
}

void collector_announce_names(struct collector *collector)
{
	if (collector->engine->announce_names)
		collector->engine->announce_names(collector);
}

void collector_start(struct collector *collector)
{
	collector_heartbeat(collector);
	collector->engine->start(collector);
}

int collector_name_object(struct collector *collector, const struct wire_file *file,
			  uint32_t object)
{
	return collector->engine->name_object(collector, file, object);
}

void collector_describe_object(struct collector *collector, uint32_t object, const char *path,
			       const char *build_id)
{
	if (collector->engine->describe_object)
		collector->engine->describe_object(collector, object, path, build_id);
}

void collector_set_period(struct collector *collector, uint64_t period_ns)
{
	collector->engine->set_period(collector, period_ns);
}

struct collector_visits collector_window_visits(const struct collector *collector, unsigned point)
{
	return collector->engine->window_visits(collector, point);
}

bool collector_sees_open_windows(const struct collector *collector)
{
	return collector->engine->sees_open_windows;
}

bool collector_samples_when_disarmed(const struct collector *collector)
{
	return collector->engine->samples_when_disarmed;
}

void collector_count_calls(struct collector *collector, struct collector_calls *counted,
			   size_t count, const struct collector_slices *slices)
{
	collector->engine->count_calls(collector, counted, count, slices);
}

int collector_drain(struct collector *collector, const struct collector_handler *handler)
{
	collector_heartbeat(collector);
	return collector->engine->drain(collector, handler);
}

int collector_descriptor(const struct collector *collector)
{
	return collector->engine->descriptor(collector);
}

void collector_close(struct collector *collector)
{
	if (collector)
		collector->engine->close(collector);
}

const char *collector_engine(const struct collector *collector)
{
	return collector->engine->name;
}

int collector_check_program(const struct collector *collector, const char *path,
			    struct error *error)
{
	const struct engine *engine = collector->engine;
	return engine->check_program ? engine->check_program(path, error) : 0;
}

const char *const *collector_environment(const struct collector *collector)
{
	static const char *const none[] = {NULL};
	const struct engine *engine = collector->engine;
	return engine->environment ? engine->environment(collector) : none;
}

char *collector_note(const struct collector *collector)
{
	const struct engine *engine = collector->engine;
	return engine->note ? engine->note(collector) : NULL;
}
