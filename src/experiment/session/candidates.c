/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * candidates - what could be a unit of the program's work, found by half a second of sampling.
 *
 * Functions on sampled call chains get a uprobe for a moment, and system calls that hand on work
 * are counted by their tracepoints, all at once. Counting ends at once where calls are so frequent
 * that it would slow the program, and a later search leaves these out. progress/unit_choice.h
 * chooses.
 */
#include "experiment/session/drain.h"
#include "experiment/session/state.h"
#include "experiment/session/waiting.h"

#include "base/memory.h"
#include "experiment/progress/unit_choice.h"
#include "experiment/target/call_chains.h"

#include <errno.h>
#include <string.h>

#define SAMPLE_FOR_NS 500000000ull
#define FUNCTIONS_MOST 14
#define SLICE_NS 50000000ull /* of the first search; units that it lacks may be slow */
#define SLICE_DOUBLED_MOST 2 /* times */
#define CALLS_MOST 1500      /* in a slice of the first search: 30,000 a second */
#define BREAKPOINT_NS 11000  /* what a call takes longer, on a virtual machine */
#define TRACEPOINT_NS 1000
#define COVERAGE_LEAST 0.03   /* of the chains */
#define COVERAGE_OF_CALLS 0.3 /* taken for system calls, which are in no chain */

/* Each hands on what was done; a read may only fetch what lies ready. */
static const char *const system_calls[] = {"sys_exit_write",    "sys_exit_writev",
					   "sys_exit_pwrite64", "sys_exit_sendto",
					   "sys_exit_sendmsg",  "sys_exit_fdatasync"};
#define SYSTEM_CALLS (sizeof(system_calls) / sizeof(*system_calls))
_Static_assert(FUNCTIONS_MOST + SYSTEM_CALLS <= COLLECTOR_CALLS_MOST, "counted at once");

struct candidate {
	const char *function; /* borrowed from symbols */
	unsigned chains;      /* sampled chains it was on */
	unsigned last_chain;  /* number of the last of these */
	bool in_scope;
};

struct search {
	struct session *session;
	const struct collector_handler *usual;
	unsigned chains;
	ARRAY(struct candidate) candidates;
};

static void add(struct search *search, const char *function, bool in_scope)
{
	struct candidate *candidate = NULL;

	for (size_t i = 0; i < search->candidates.count && !candidate; i++)
		if (!strcmp(search->candidates.items[i].function, function))
			candidate = &search->candidates.items[i];
	if (!candidate) {
		candidate = array_add(&search->candidates);
		*candidate = (struct candidate){.function = function, .in_scope = in_scope};
	}
	candidate->chains += candidate->last_chain != search->chains;
	candidate->last_chain = search->chains;
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

	search->chains++;
	for (uint32_t i = 0; i < callers->count && i < KERNEL_CALLERS_MOST; i++) {
		uint32_t object = callers->frames[i].object;
		if (object == WIRE_OBJECT_UNKNOWN || object >= WIRE_OBJECTS_MOST)
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

static void on_python_code(void *context, const struct wire_python_code *event, size_t bytes)
{
	sampled_code_on_python_code(((struct search *)context)->session->code, event, bytes);
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

static void sample_chains(struct search *search)
{
	struct session *session = search->session;
	const struct collector_handler usual = session->handler;

	search->usual = &usual;
	session->handler = (struct collector_handler){.context = search, /* waiting drains, too */
						      .sample = on_sample,
						      .object = on_object,
						      .process = on_process,
						      .callers = on_callers,
						      .python_code = on_python_code,
						      .name = on_name};
	collector_want_callers(session->collector, 1);
	session_wait(session, SAMPLE_FOR_NS);
	session_drain(session);
	collector_want_callers(session->collector, CALL_CHAINS_ONE_OF);
	session->handler = usual;
	qsort(search->candidates.items, search->candidates.count, sizeof(*search->candidates.items),
	      by_scope_and_chains);
}

/* The places to be counted, of the same index as `units`. */
struct counting {
	char *texts[COLLECTOR_CALLS_MOST]; /* for --progress */
	struct collector_calls calls[COLLECTOR_CALLS_MOST];
	struct unit_candidate units[COLLECTOR_CALLS_MOST];
	size_t count;
	uint64_t slice_ns;
};

static struct collector_calls *add_place(struct counting *counting, char *take_text,
					 double coverage, uint32_t cost_ns)
{
	struct unit_candidate *unit = &counting->units[counting->count];
	struct collector_calls *calls = &counting->calls[counting->count];

	counting->texts[counting->count++] = take_text;
	*unit = (struct unit_candidate){.coverage = coverage,
					.slice_ns = counting->slice_ns,
					.cost_ns = cost_ns};
	*calls = (struct collector_calls){.calls = unit->calls};
	return calls;
}

static bool was_too_frequent(const struct session *session, const char *text)
{
	const struct session_found_points *found = &session->found_points;

	for (size_t i = 0; i < found->too_frequent.count; i++)
		if (!strcmp(found->too_frequent.items[i], text))
			return true;
	return false;
}

static void add_functions(struct counting *counting, const struct search *search)
{
	struct symbols *symbols = search->session->symbols;

	for (size_t i = 0; i < search->candidates.count && counting->count < FUNCTIONS_MOST; i++) {
		const struct candidate *candidate = &search->candidates.items[i];
		struct symbols_addresses addresses = {0};
		double coverage = (double)candidate->chains / (double)search->chains;
		if (coverage >= COVERAGE_LEAST &&
		    !was_too_frequent(search->session, candidate->function) &&
		    !symbols_breakpoints(symbols, candidate->function, SYMBOLS_NONE, &addresses,
					 NULL) &&
		    addresses.count == 1) {
			const struct symbols_address address = addresses.items[0];
			const struct symbols_object *object =
				symbols_object(symbols, address.object);
			add_place(counting, text_copy(candidate->function), coverage, BREAKPOINT_NS)
				->code = (struct collector_code){.path = object->path,
								 .fd = object->fd,
								 .offset = address.offset};
		}
		array_free(&addresses);
	}
}

static size_t count_and_choose(struct session *session, struct counting *counting,
			       size_t chosen[UNITS_MOST])
{
	const struct collector_slices slices = {.slice_ns = counting->slice_ns,
						.calls_most =
							CALLS_MOST * counting->slice_ns / SLICE_NS,
						.count = UNIT_SLICES};

	collector_count_calls(session->collector, counting->calls, counting->count, &slices);
	for (size_t i = 0; i < counting->count; i++) {
		counting->units[i].is_too_frequent = counting->calls[i].status;
		if (counting->calls[i].status == -ERANGE)
			*array_add(&session->found_points.too_frequent) =
				text_copy(counting->texts[i]);
	}
	return unit_choose(counting->units, counting->count, chosen);
}

/* The best unit of those that would cost too much to count. */
static void keep_costly(struct session_found_points *found, struct counting *counting)
{
	size_t best = counting->count;

	for (size_t i = 0; i < counting->count; i++)
		if (counting->units[i].score > 0 &&
		    (best == counting->count ||
		     counting->units[i].score > counting->units[best].score))
			best = i;
	free(found->costly.text);
	found->costly = (struct session_unit){0};
	if (best == counting->count)
		return;
	found->costly = (struct session_unit){.text = counting->texts[best],
					      .rate = counting->units[best].rate};
	counting->texts[best] = NULL;
}

static size_t find(struct session *session, struct session_unit units[UNITS_MOST])
{
	struct search search = {.session = session};
	unsigned doubled = session->found_points.searches;
	struct counting counting = {
		.slice_ns = SLICE_NS
			    << (doubled < SLICE_DOUBLED_MOST ? doubled : SLICE_DOUBLED_MOST)};
	size_t chosen[UNITS_MOST], found = 0;

	sample_chains(&search);
	if (search.chains)
		add_functions(&counting, &search);
	for (size_t i = 0; i < SYSTEM_CALLS; i++)
		add_place(&counting, text_format("tracepoint:syscalls:%s", system_calls[i]),
			  COVERAGE_OF_CALLS, TRACEPOINT_NS)
			->tracepoint = system_calls[i];
	if (session_program_runs(session))
		found = count_and_choose(session, &counting, chosen);
	if (!found)
		keep_costly(&session->found_points, &counting);
	for (size_t i = 0; i < found; i++) {
		units[i] = (struct session_unit){.text = counting.texts[chosen[i]],
						 .rate = counting.units[chosen[i]].rate};
		counting.texts[chosen[i]] = NULL;
	}
	for (size_t i = 0; i < counting.count; i++)
		free(counting.texts[i]);
	array_free(&search.candidates);
	return found;
}

/*
 * Breakpoints on frequent functions slow these until the last is taken away, which takes a tenth of
 * a second for each, and inclusive functions are not counted while all chains come here: what is
 * sampled meanwhile tells no shares.
 */
size_t session_candidates(struct session *session, struct session_unit units[UNITS_MOST])
{
	session_leave_out(session, true);
	size_t found = find(session, units);
	session_leave_out(session, false);
	return found;
}
