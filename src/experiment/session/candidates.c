/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * candidates - functions that could serve as progress points, found by half a second of sampling.
 *
 * Each function on a sampled call chain gets a uprobe for a moment: one that is called at a steady,
 * moderate rate is worth naming. Counting ends at once where calls are so frequent that it would
 * slow the program.
 */
#include "experiment/session/state.h"

#include "base/cleanup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAMPLE_FOR_NS 500000000ull
#define TRIED_MOST 12
#define NAMED_MOST 6
#define SLICES 8
#define SLICE_NS 40000000ull
#define CALLS_MOST 2000    /* in a slice: 50,000 a second */
#define CALLS_LEAST 8      /* in all slices */
#define VARIATION_MOST 0.7 /* standard deviation of the slices over their mean */

struct candidate {
	const char *function; /* borrowed from symbols */
	unsigned chains;      /* sampled chains it was on */
	bool in_scope;
	double rate, variation;
};

struct search {
	struct session *session;
	const struct collector_handler *usual;
	ARRAY(struct candidate) candidates;
};

static void add(struct search *search, const char *function, bool in_scope)
{
	for (size_t i = 0; i < search->candidates.count; i++) {
		if (!strcmp(search->candidates.items[i].function, function)) {
			search->candidates.items[i].chains++;
			return;
		}
	}
	*array_add(&search->candidates) =
		(struct candidate){.function = function, .chains = 1, .in_scope = in_scope};
}

/* Every program calls these; they tell nothing of its progress. */
static bool is_runtime_library(const struct session *session, uint32_t object)
{
	static const char *const names[] = {"/libc.so", "/libc-", "/libpthread", "/libstdc++",
					    "/ld-"};
	const char *path = symbols_object(session->symbols, object)->path;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strstr(path, names[i]))
			return true;
	return false;
}

static void on_callers(void *context, const struct kernel_callers *callers)
{
	struct search *search = context;

	for (uint32_t i = 0; i < callers->count && i < KERNEL_CALLERS_MOST; i++) {
		uint32_t object = callers->frames[i].object;
		if (object == WIRE_OBJECT_UNKNOWN || object == WIRE_OBJECT_NO_FILE)
			continue;
		const char *function = symbols_function_at(search->session->symbols, object - 1,
							   callers->frames[i].offset);
		if (function && !strchr(function, '+') && strcmp(function, "main") &&
		    !is_runtime_library(search->session, object - 1))
			add(search, function,
			    symbols_object(search->session->symbols, object - 1)->in_scope);
	}
}

static void on_sample(void *context, const struct wire_sample *sample)
{
	sampled_code_on_sample(((struct search *)context)->session->code, sample);
}

static void on_object(void *context, const struct kernel_object_event *event)
{
	sampled_code_on_object(((struct search *)context)->session->code, event);
}

static void on_process(void *context, const struct kernel_process_event *event)
{
	const struct search *search = context;
	search->usual->process(search->usual->context, event);
}

static void on_name(void *context, const struct kernel_name_event *event)
{
	const struct search *search = context;
	search->usual->name(search->usual->context, event);
}

static int by_scope_and_chains(const void *a, const void *b)
{
	const struct candidate *left = a, *right = b;
	if (left->in_scope != right->in_scope)
		return left->in_scope ? -1 : 1;
	return left->chains < right->chains ? 1 : left->chains > right->chains ? -1 : 0;
}

static bool try_candidate(struct session *session, struct candidate *candidate)
{
	struct symbols_addresses addresses = {0};
	uint64_t calls[SLICES] = {0};
	double sum = 0, squares = 0;

	if (symbols_breakpoints(session->symbols, candidate->function, SYMBOLS_NONE, &addresses,
				NULL) ||
	    !addresses.count)
		return false;
	const struct symbols_address address = addresses.items[0];
	array_free(&addresses);
	const struct symbols_object *object = symbols_object(session->symbols, address.object);
	const struct collector_code code = {
		.path = object->path,
		.fd = object->fd,
		.offset = address.offset,
	};
	const struct collector_slices slices = {.slice_ns = SLICE_NS,
						.calls_most = CALLS_MOST,
						.count = SLICES};
	if (collector_count_calls(session->collector, &code, &slices, calls))
		return false;
	for (int i = 0; i < SLICES; i++) {
		sum += (double)calls[i];
		squares += (double)calls[i] * (double)calls[i];
	}
	double mean = sum / SLICES;
	if (sum < CALLS_LEAST)
		return false;
	candidate->rate = sum / (SLICES * (double)SLICE_NS / 1e9);
	candidate->variation = sqrt(fmax(0, squares / SLICES - mean * mean)) / mean;
	return candidate->variation < VARIATION_MOST;
}

char *session_candidates(struct session *session)
{
	const struct collector_handler usual = session->handler;
	struct search search = {.session = session, .usual = &usual};
	struct collector_handler handler = {.context = &search,
					    .sample = on_sample,
					    .object = on_object,
					    .process = on_process,
					    .callers = on_callers,
					    .name = on_name};
	char *text = NULL;
	size_t size = 0;
	unsigned named = 0;

	session->handler = handler; /* waiting drains, too */
	collector_want_callers(session->collector, 1);
	session_wait(session, SAMPLE_FOR_NS);
	collector_drain(session->collector, &handler);
	collector_want_callers(session->collector, session->callers_one_of);
	session->handler = usual;
	qsort(search.candidates.items, search.candidates.count, sizeof(*search.candidates.items),
	      by_scope_and_chains);
	FILE *out = open_memstream(&text, &size);
	for (size_t i = 0; i < search.candidates.count && i < TRIED_MOST && named < NAMED_MOST;
	     i++) {
		struct candidate *candidate = &search.candidates.items[i];
		if (!session_program_runs(session) || !try_candidate(session, candidate))
			continue;
		fprintf(out, "%s  --progress '%s'   %.0f calls/s", named++ ? "\n" : "",
			candidate->function, candidate->rate);
	}
	fclose(out);
	array_free(&search.candidates);
	if (named)
		return text;
	free(text);
	return NULL;
}
