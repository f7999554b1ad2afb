/* SPDX-License-Identifier: BSD-2-Clause */
/* visits - attaches the point in both programs and in what they load, and reads a window a run. */
#include "compare/visits.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "collect/collector.h"
#include "experiment/progress/progress_kinds.h"
#include "symbolize/parser/start.h"
#include "symbolize/scope.h"

#include <errno.h>
#include <string.h>

/* A tick takes some 10 us: half a percent, of both commands. */
#define PERIOD_NS 2000000u
#define POINT_UNKNOWN WIRE_POINTS_MOST

struct visits {
	struct point_spec spec;
	struct collector *collector;
	struct scope *scope;
	struct symbols *symbols;
	struct sampled_code *code;
	struct progress_lookup lookup;
	struct collector_handler handler;
	const char **environment;
	unsigned index;   /* of the attached point; or POINT_UNKNOWN */
	uint32_t objects; /* that were searched for it */
	unsigned visited; /* runs with visits */
};

static void on_sample(void *context, const struct wire_sample *sample)
{
	(void)context;
	(void)sample;
}

static void on_object(void *context, const struct kernel_object_event *event)
{
	sampled_code_on_object(((struct visits *)context)->code, event);
}

static void on_process(void *context, const struct kernel_process_event *event)
{
	(void)context;
	(void)event;
}

/* Code is searched for in each file, since both programs have it; probes of all files at once. */
static int attach_in(struct visits *visits, uint32_t object, struct error *error)
{
	const struct progress_kind *kind = visits->spec.kind;
	bool is_code = kind == &progress_line || kind == &progress_function;
	int code = 0;

	if (is_code)
		code = progress_attach_code(&visits->lookup, &visits->spec, object, &visits->index,
					    error);
	else if (kind == &progress_usdt)
		code = kind->attach(&visits->lookup, &visits->spec, &visits->index, error);
	return code == -ENOENT || code == -ENXIO ? 0 : code;
}

/* In files that became known since. */
static int attach(struct visits *visits, struct error *error)
{
	uint32_t count = symbols_object_count(visits->symbols);
	bool is_probe = visits->spec.kind == &progress_usdt;
	int code = 0;

	if (visits->visited > RUN_AFTER || (is_probe && visits->index != POINT_UNKNOWN))
		return 0;
	for (; visits->objects < count && !code; visits->objects++)
		if (!is_probe || visits->objects + 1 == count)
			code = attach_in(visits, visits->objects, error);
	return code;
}

static int check_kind(const struct point_spec *spec, struct error *error)
{
	const struct progress_kind *kind = spec->kind;

	if (kind == &progress_line || kind == &progress_usdt || kind == &progress_tracepoint ||
	    kind->may_be_in_program)
		return 0;
	return error_set(error, -EINVAL,
			 "'%s' cannot be counted in two commands; use FILE:LINE, FUNCTION, usdt:, "
			 "tracepoint:, or a point of lever.h",
			 spec->text);
}

static void add_programs(struct visits *visits, const struct visits_options *options)
{
	for (unsigned side = RUN_BEFORE; side <= RUN_AFTER; side++) {
		const char *path = options->programs[side];
		uint32_t object;
		/* A script is no object: what it runs is announced later. */
		AUTO(text) char *real = path ? realpath(path, NULL) : NULL;
		if (real)
			symbols_add_object(visits->symbols, real, NULL, true, &object, NULL);
	}
}

static void make_environment(struct visits *visits)
{
	const char *const *entries = collector_environment(visits->collector);
	size_t count = 0;

	while (entries[count])
		count++;
	visits->environment = memory_new(count + 2, sizeof(*visits->environment));
	visits->environment[0] = "LEVER_LISTEN=1";
	memcpy(visits->environment + 1, entries, count * sizeof(*entries));
}

static int open_engine(struct visits *visits, const struct visits_options *options,
		       struct error *error)
{
	struct collector_options collector = {.engine = COLLECTOR_AUTO,
					      .runtime_library = options->runtime_library,
					      .period_ns = PERIOD_NS};
	int code = collector_open(&collector, &visits->collector, error);

	for (unsigned side = RUN_BEFORE; side <= RUN_AFTER && !code; side++)
		if (options->programs[side])
			code = collector_check_program(visits->collector, options->programs[side],
						       error);
	return code;
}

static int open_all(struct visits *visits, const struct visits_options *options,
		    struct error *error)
{
	int code = point_spec_parse(options->point, &visits->spec, error);

	code = code ? code : check_kind(&visits->spec, error);
	code = code ? code : open_engine(visits, options, error);
	if (code)
		return code;
	make_environment(visits);
	visits->scope = scope_new();
	visits->symbols = symbols_start(TARGET_FUNCTION, visits->scope);
	visits->code = sampled_code_new(visits->symbols, visits->collector);
	visits->lookup.collector = visits->collector;
	visits->lookup.code = visits->code;
	visits->lookup.symbols = visits->symbols;
	visits->handler = (struct collector_handler){.context = visits,
						     .sample = on_sample,
						     .object = on_object,
						     .process = on_process};
	add_programs(visits, options);
	if (visits->spec.kind == &progress_tracepoint)
		return visits->spec.kind->attach(&visits->lookup, &visits->spec, &visits->index,
						 error);
	return attach(visits, error);
}

CLEANUP_DEFINE(visits, struct visits *, visits_free, NULL)

int visits_open(const struct visits_options *options, struct visits **result, struct error *error)
{
	AUTO(visits) struct visits *visits = memory_new(1, sizeof(*visits));

	visits->index = POINT_UNKNOWN;
	int code = open_all(visits, options, error);
	if (!code)
		*result = take(&visits);
	return code;
}

void visits_free(struct visits *visits)
{
	if (!visits)
		return;
	collector_close(visits->collector);
	progress_binaries_free(&visits->lookup);
	array_free(&visits->lookup.sampled);
	sampled_code_free(visits->code);
	symbols_free(visits->symbols);
	scope_free(visits->scope);
	point_spec_release(&visits->spec);
	free(visits->environment);
	free(visits);
}

const char *const *visits_environment(const struct visits *visits)
{
	return visits->environment;
}

int visits_begin(struct visits *visits, int pidfd, struct error *error)
{
	int code = attach(visits, error);

	code = code ? code : collector_add_task(visits->collector, pidfd, error);
	if (code)
		return code;
	collector_start(visits->collector);
	collector_window_open(visits->collector);
	return 0;
}

void visits_poll(struct visits *visits)
{
	collector_drain(visits->collector, &visits->handler);
}

/* That of code or a probe; or the point of lever.h with this name. */
static unsigned find_point(const struct visits *visits)
{
	unsigned count = collector_point_count(visits->collector);

	for (unsigned i = 0; i < count && visits->index == POINT_UNKNOWN; i++) {
		const struct wire_point *point = collector_point(visits->collector, i);
		if (visits->spec.kind->may_be_in_program && point->kind == POINTS_PROGRESS &&
		    !strcmp(point->name, visits->spec.name))
			return i;
	}
	return visits->index;
}

double visits_end(struct visits *visits)
{
	collector_window_close(visits->collector);
	visits_poll(visits);
	unsigned index = find_point(visits);
	if (index == POINT_UNKNOWN)
		return 0;
	struct collector_visits seen = collector_window_visits(visits->collector, index);
	visits->visited += seen.visits > 0;
	return seen.visits ? (double)seen.duration_ns / (double)seen.visits / 1e9 : 0;
}

char *visits_names(const struct visits *visits)
{
	unsigned count = collector_point_count(visits->collector);
	char *names = NULL;

	for (unsigned i = 0; i < count; i++) {
		const struct wire_point *point = collector_point(visits->collector, i);
		AUTO(text) char *before = names;
		names = point->kind == POINTS_PROGRESS ?
				text_format("%s%s%s", before ? before : "", before ? ", " : "",
					    point->name) :
				take(&before);
	}
	return names;
}
