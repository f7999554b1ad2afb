/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * warnings - what the reader of a report must know of the run: disturbances, and limits it reached.
 */
#include "experiment/session/state.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "symbolize/far_calls.h"
#include "symbolize/parser/start.h"

#include <string.h>

#define DISPLACEMENT_TOLD 0.05 /* share of a window's time */
#define SPIN_TOLD 0.01         /* share of all sampled time */
#define RETRY_TOLD 0.05        /* of it, as hand_over_error.h has it */
#define LOOPS_NAMED_MOST 3
#define INLINED_TOLD 0.1 /* of a function's code */
#define SEEN_LEAST 100   /* samples of the program, to tell that code has none */
#define FAULTS_TOLD 0.1  /* of the CPU time; interrupts take less */
#if defined(__x86_64__)
#define FAULT_TARGET "--kernel --target kernel:asm_exc_page_fault"
#else
#define FAULT_TARGET "--kernel"
#endif
#define HARDLY_SEEN 0.05 /* of the samples: as much as is seen before code is compiled */

static void add_losses(char **text, const struct session *session,
		       const struct collector_counters *counters)
{
	bool is_kernel = !strcmp(collector_engine(session->collector), "kernel");

	if (counters->lost_events)
		text_add_line(text, text_format("%llu events of processes and files were lost, so "
						"processes or code may be missing; profile fewer "
						"processes at once",
						(unsigned long long)counters->lost_events));
	if (counters->untracked_tasks && is_kernel) /* the other engine's note has them */
		text_add_line(text,
			      text_format("%llu threads were not profiled, since the kernel had no "
					  "memory for their state; profile fewer processes",
					  (unsigned long long)counters->untracked_tasks));
}

static void add_limits(char **text, const struct session *session,
		       const struct collector_counters *counters)
{
	unsigned left_out = session->listening ? point_listening_left_out(session->listening) : 0;

	if (counters->dropped_points)
		text_add_line(text,
			      text_format("the program has more than %d progress points; visits of "
					  "the others are not counted; leave points out of the "
					  "program (LEVER_DISABLE in some of its files)",
					  WIRE_POINTS_MOST));
	if (left_out)
		text_add_line(text, text_format("the points of %u processes are not counted, since "
						"%d processes are the most; choose some with --pid "
						"or --comm",
						left_out, POINT_LISTENING_MOST));
}

typedef uint64_t time_in_loops(const struct sampled_location *location);

static uint64_t spun_ns(const struct sampled_location *location)
{
	return location->spun_ns;
}

static uint64_t retried_ns(const struct sampled_location *location)
{
	return location->retried_ns;
}

/* The next location by time in such loops, or `count`. */
static size_t next_loop(const struct sampled_location *locations, size_t count, size_t after,
			time_in_loops *time_of)
{
	size_t best = count;

	for (size_t i = 0; i < count; i++) {
		uint64_t own = time_of(&locations[i]);
		uint64_t last = after < count ? time_of(&locations[after]) : UINT64_MAX;
		bool is_later = own < last || (own == last && i > after);
		if (own && is_later && (best == count || own > time_of(&locations[best])))
			best = i;
	}
	return best;
}

/* The locations with the most time in such loops; NULL: none has more than SPIN_TOLD. */
static char *loop_names(const struct session *session, time_in_loops *time_of)
{
	size_t count;
	const struct sampled_location *locations = sampled_code_locations(session->code, &count);
	double all = (double)sampled_code_time_ns(session->code);
	char *names = NULL;
	size_t at = count;

	for (int named = 0; named < LOOPS_NAMED_MOST; named++) {
		at = next_loop(locations, count, at, time_of);
		if (at == count || (double)time_of(&locations[at]) < SPIN_TOLD * all)
			break;
		const struct symbols_location *location =
			symbols_location(session->symbols, (uint32_t)at);
		char *longer = text_format("%s%s%s (%.0f %% of the samples)", names ? names : "",
					   names ? ", " : "",
					   location->kind == TARGET_INCLUSIVE ? location->function :
										location->name,
					   100 * (double)time_of(&locations[at]) / all);
		free(names);
		names = longer;
	}
	return names;
}

/* Retries are work, and so are targets. */
static void add_retries(char **text, const struct session *session)
{
	AUTO(text) char *names = loop_names(session, retried_ns);
	double all = (double)sampled_code_time_ns(session->code);

	if (names && (double)session->driver.run.retried_ns >= RETRY_TOLD * all)
		text_add_line(
			text,
			text_format("threads compute a value and start again if another thread was "
				    "faster, in loops with a compare-and-exchange: %s; less work "
				    "there also makes them retry less often, and gains more than "
				    "pauses show, and less work elsewhere gains less; intervals "
				    "are wider for it",
				    names));
}

/* Spin loops are no targets, so the report says where threads wait in them. */
static void add_spins(char **text, const struct session *session)
{
	AUTO(text) char *names = loop_names(session, spun_ns);

	if (names)
		text_add_line(
			text,
			text_format("threads wait by spinning at %s; that is no work, so it is "
				    "no target; what a wait that sleeps in its place changes, "
				    "as it leaves the core to others and takes longer to end, "
				    "is not predicted: try it",
				    names));
}

/* A script's function that an interpreter runs, or that is compiled into its caller. */
static void add_unseen_scripts(char **text, const struct session *session)
{
	size_t count;
	const struct sampled_location *locations = sampled_code_locations(session->code, &count);
	double all = (double)sampled_code_time_ns(session->code);

	for (size_t i = 0; i < session->named.count; i++) {
		uint32_t location = session->named.items[i].location;
		bool is_jit =
			location != SYMBOLS_NONE && sampled_code_is_jit(session->code, location);
		double own = location < count ? (double)locations[location].sampled_ns : 0;
		if (is_jit && own < HARDLY_SEEN * all)
			text_add_line(
				text,
				text_format(
					"%s has %.1f %% of the samples under its own name; what "
					"is told of it is too little if an interpreter runs it "
					"(Node.js: --interpreted-frames-native-stack) or if it "
					"was compiled into the function that calls it",
					symbols_location(session->symbols, location)->name,
					100 * own / all));
	}
}

static uint64_t code_bytes(struct symbols *symbols, uint32_t location)
{
	const struct range *ranges;
	size_t count = symbols_location_ranges(symbols, location, &ranges);
	uint64_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += ranges[i].end - ranges[i].start;
	return bytes;
}

/* Of a function's code, the part that is inlined from functions which are targets themselves. */
static double inlined_part(struct symbols *symbols, uint32_t location)
{
	AUTO(text) char *name = text_copy(symbols_location(symbols, location)->name);
	struct error error = {0};
	uint32_t whole;

	if (symbols_find_inclusive(symbols, name, &whole, &error))
		return 0;
	double own = (double)code_bytes(symbols, location),
	       all = (double)code_bytes(symbols, whole);
	return all > own ? 1 - own / all : 0;
}

/* Whoever names a function means it with what is inlined in it, as a profiler's table has it. */
static void add_inlined(char **text, const struct session *session)
{
	for (size_t i = 0; i < session->named.count; i++) {
		uint32_t location = session->named.items[i].location;
		bool is_function =
			location != SYMBOLS_NONE &&
			session->options->granularity == TARGET_FUNCTION &&
			symbols_location(session->symbols, location)->kind == TARGET_FUNCTION;
		double part = is_function ? inlined_part(session->symbols, location) : 0;
		if (part > INLINED_TOLD)
			text_add_line(
				text,
				text_format("%.0f %% of the code of %s is inlined from "
					    "other functions, and counts for those by "
					    "--granularity function; without that option "
					    "it counts for both",
					    100 * part,
					    symbols_location(session->symbols, location)->name));
	}
}

/* A fault counts for the code that touches the memory, which does not show what is slow there. */
static void add_faults(char **text, const struct session *session)
{
	double share = sampled_code_fault_share(session->code);

	if (share >= FAULTS_TOLD)
		text_add_line(
			text,
			text_format("%.0f %% of the CPU time is spent in the kernel but in no "
				    "system call, mostly for page faults: memory is touched for "
				    "the first time, or again after it was given back; it counts "
				    "for the code that touches it; %s tells its gain",
				    100 * share, FAULT_TARGET));
}

/* What a function that has no frame does cannot be told apart from what its caller does. */
static void add_jumped_through(char **text, const struct session *session,
			       const struct collector_counters *counters)
{
	size_t count;
	const struct sampled_location *locations = sampled_code_locations(session->code, &count);

	for (size_t i = 0; i < session->named.count && counters->samples >= SEEN_LEAST; i++) {
		uint32_t at = session->named.items[i].location;
		enum target_kind kind = at == SYMBOLS_NONE ?
						TARGET_LINE :
						symbols_location(session->symbols, at)->kind;
		bool is_function = kind == TARGET_FUNCTION || kind == TARGET_INCLUSIVE;
		if (!is_function || (at < count && locations[at].samples))
			continue;
		AUTO(text) char *names = symbols_jumps_to(session->symbols, at);
		if (names)
			text_add_line(
				text,
				text_format("%s has no samples: it may end in a jump to %s, which "
					    "leaves no frame of it, and nothing tells that it was "
					    "entered if that was by a jump or through a pointer; "
					    "take its caller, or what it jumps to",
					    symbols_location(session->symbols, at)->name, names));
	}
}

char *session_warnings(const struct session *session, const struct collector_counters *counters)
{
	char *text = NULL;
	bool is_idle;
	AUTO(text) char *served = session_requests_served(session, &is_idle);

	if (is_idle)
		text_add_line(&text, take(&served));
	text_add_line(&text, session_sets_refusal(session));
	if (session->displacement.accepted > DISPLACEMENT_TOLD)
		text_add_line(
			&text,
			text_format("other programs, or the hypervisor, disturbed the machine: "
				    "windows with up to %.0f %% of their time lost were used",
				    100 * session->displacement.accepted));
	if (session->stops.sum_ns)
		text_add_line(&text,
			      text_format("lever and the program stood still for %.0f s, as in "
					  "a frozen cgroup; that time does not count",
					  (double)session->stops.sum_ns / 1e9));
	add_inlined(&text, session);
	add_unseen_scripts(&text, session);
	add_faults(&text, session);
	add_jumped_through(&text, session, counters);
	add_spins(&text, session);
	add_retries(&text, session);
	text_add_line(&text, sampling_rate_warning(&session->sampling_rate,
						   session->driver.run.period_ns));
	text_add_line(&text, sampling_rate_poll_warning(&session->sampling_rate,
							session->driver.run.period_ns));
	text_add_line(&text, collector_note(session->collector));
	text_add_line(&text, sampled_code_warnings(session->code));
	text_add_line(&text, text_copy(symbols_warning(session->symbols)));
	text_add_line(&text, progress_points_warnings(session->points));
	add_limits(&text, session, counters);
	add_losses(&text, session, counters);
	return text;
}
