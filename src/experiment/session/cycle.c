/* SPDX-License-Identifier: BSD-2-Clause */
/* cycle - follows the visits of all points in steps, and waits for rises of the busiest one. */
#include "experiment/session/cycle.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "experiment/progress/progress_visits.h"
#include "experiment/session/state.h"
#include "experiment/session/waiting.h"
#include "profile/serial.h"

#include <math.h>

#define STEP_NS 5000000ull
#define OWN_LEAST 0.5   /* of a step: other programs, that come and go, make no cycle */
#define AWAIT_LENGTHS 2 /* average cycles */
#define AWAIT_MOST_NS 1000000000ull
#define WINDOWS_LEAST 12 /* that are to fit into the rest of the session, ... */
#define WINDOWS_LEAST_DISTURBED 40
#define DISTURBED_LIMIT 0.2   /* of displaced time in a window that counts */
#define WINDOW_LENGTHS 1.5    /* ... each with the time until it begins */
#define REQUESTS_MANY 100     /* in a window */
#define VISITS_MANY 16        /* where one more or less matters little */
#define WATCH_NS 3e9          /* at most, without a break, where cycles are likely, ... */
#define WATCH_PART 0.3        /* ... of the time that is left, ... */
#define WATCH_WINDOWS_LEAST 6 /* ... unless that is too little */
#define PART_MOST 0.9         /* of a window, between the first visit and the last */
#define MISSED_MOST 4         /* more than rises that came */
#define SERIAL_NS 5e8         /* of controls, that tell whether one thread runs at a time */

struct step {
	double effective_ns;
	double visits[SESSION_CYCLE_POINTS];
};

/* What passed since the last step. */
static struct step take_step(struct session *session)
{
	struct session_cycle *cycle = &session->cycle;
	struct collector_counters now;
	struct step step;

	collector_counters(session->collector, &now);
	double effective_ns = fmax(0, (double)(now.time_ns - cycle->time_ns) -
					      (double)(now.delay_ns - cycle->delay_ns));
	double displaced_ns = (double)(now.displaced_ns - cycle->displaced_ns);
	step.effective_ns = fmax(effective_ns - displaced_ns, OWN_LEAST * effective_ns);
	cycle->time_ns = now.time_ns;
	cycle->delay_ns = now.delay_ns;
	cycle->displaced_ns = now.displaced_ns;
	for (unsigned i = 0; i < SESSION_CYCLE_POINTS; i++) {
		double visits = progress_visits_total(session->points, i);
		step.visits[i] = fmax(0, visits - cycle->visits[i]);
		cycle->visits[i] = visits;
	}
	return step;
}

/* For another thread of the program, or for a core. */
static bool waits_for_others(const struct wire_sample *sample)
{
	uint32_t class = sample->flags >> WIRE_SAMPLE_CLASS_SHIFT & WIRE_SAMPLE_CLASS_MASK;

	return class == WAIT_CLASS_LOCK || class == WAIT_CLASS_RUNNABLE ||
	       (sample->flags & WIRE_SAMPLE_SPINS);
}

void session_cycle_on_sample(struct session *session, const struct wire_sample *sample)
{
	if (!session->cycle.since_ns && !waits_for_others(sample))
		rate_mix_add(&session->cycle.mix, sampled_code_last(session->code),
			     (double)sample->weight_ns);
}

void session_cycle_end_window(struct session *session,
			      const struct recording_experiment *experiment, double visits)
{
	bool is_control = experiment->speedup <= 0 && experiment->verdict == VERDICT_COUNTED;
	double effective_ns = (double)experiment->duration_ns - (double)experiment->delay_ns;

	if (is_control && effective_ns > 0) {
		session->cycle.cpu_ns += (double)(experiment->sampled_ns - experiment->waited_ns);
		session->cycle.control_ns += effective_ns;
		rate_mix_end(&session->cycle.mix, visits / effective_ns, effective_ns);
	} else {
		rate_mix_begin(&session->cycle.mix);
	}
}

void session_cycle_release(struct session_cycle *cycle)
{
	rate_mix_release(&cycle->mix);
}

void session_cycle_begin(struct session *session)
{
	(void)take_step(session);
	rate_mix_begin(&session->cycle.mix);
	for (unsigned i = 0; i < SESSION_CYCLE_POINTS; i++)
		rate_cycle_break(&session->cycle.points[i]);
}

static bool is_serial(const struct session_cycle *cycle)
{
	return cycle->control_ns >= SERIAL_NS && serial_is(cycle->cpu_ns, cycle->control_ns);
}

/*
 * The point with most visits; a sampled one, CPU time, only if there is no other, or where one
 * thread runs at a time: it does not rise and fall with the part of a batch that runs.
 */
static unsigned busiest_point(const struct session *session)
{
	const double *visits = session->cycle.visits;
	bool prefers_sampled = is_serial(&session->cycle);
	unsigned best = 0;

	for (unsigned i = 1; i < SESSION_CYCLE_POINTS; i++) {
		bool is_other = progress_visits_is_sampled(session->points, i) != prefers_sampled;
		bool best_is_other =
			progress_visits_is_sampled(session->points, best) != prefers_sampled;
		if (visits[i] > 0 && (!(visits[best] > 0) || is_other < best_is_other ||
				      (is_other == best_is_other && visits[i] > visits[best])))
			best = i;
	}
	return best;
}

/*
 * Enough windows of whole cycles fit into the time that is left; if that is unknown, as much. Where
 * other programs disturb the machine, only many windows tell anything.
 */
static bool has_time(const struct session *session, const struct rate_cycle *cycle)
{
	bool is_disturbed = displacement_limit(&session->displacement) > DISTURBED_LIMIT;
	double windows = is_disturbed ? WINDOWS_LEAST_DISTURBED : WINDOWS_LEAST;
	uint64_t now = clock_now_ns();
	double left = driver_left_seconds(&session->driver, now);
	double seconds = left >= 0 ? left : driver_elapsed_seconds(&session->driver, now);

	return 1e9 * seconds >=
	       windows * WINDOW_LENGTHS *
		       fmax(rate_cycle_length_ns(cycle), (double)session->window_ns);
}

/*
 * Many requests are served in a window, each of them whole: a rate that rises and falls is the
 * disk's or the machine's, and waiting for its rises takes most of a run.
 */
static bool serves_requests(const struct session *session)
{
	return progress_points_requests(session->points) && session->last_visits >= REQUESTS_MANY;
}

static bool looks_for_cycles(const struct session *session)
{
	const struct session_cycle *cycle = &session->cycle;

	return !serves_requests(session) && !cycle->since_ns && !cycle->is_given_up &&
	       !session->options->window_ns && schedule_has_speedups(session->schedule);
}

unsigned session_cycle_watch(struct session *session, bool is_control)
{
	struct session_cycle *cycle = &session->cycle;
	double left = driver_left_seconds(&session->driver, clock_now_ns());
	double watch_ns = left >= 0 ? fmin(WATCH_PART * 1e9 * left, WATCH_NS) : WATCH_NS;
	unsigned windows = (unsigned)(watch_ns / (double)session->window_ns);

	cycle->is_watching = false;
	if (!is_control || cycle->is_watched || !looks_for_cycles(session) ||
	    windows < WATCH_WINDOWS_LEAST ||
	    !rate_cycle_is_likely(&cycle->points[busiest_point(session)]))
		return 0;
	cycle->is_watched = cycle->is_watching = true;
	return windows;
}

bool session_cycle_is_told(struct session *session)
{
	struct session_cycle *cycle = &session->cycle;
	const struct rate_cycle *watched = &cycle->points[busiest_point(session)];

	bool is_told = rate_cycle_is_found(watched) ? rate_mix_is_settled(&cycle->mix) :
						      rate_cycle_is_unlikely(watched);

	if (!cycle->is_watching || !is_told)
		return false;
	cycle->is_watching = false;
	return true;
}

static bool is_same_mix(const struct session_cycle *cycle, const struct rate_cycle *found)
{
	return rate_mix_is_same(&cycle->mix, rate_cycle_deviation(found),
				rate_cycle_length_ns(found));
}

static void find_cycle(struct session *session)
{
	struct session_cycle *cycle = &session->cycle;

	if (!looks_for_cycles(session))
		return;
	cycle->point = busiest_point(session);
	const struct rate_cycle *found = &cycle->points[cycle->point];
	if (!rate_cycle_is_found(found) || !rate_mix_is_settled(&cycle->mix) ||
	    is_same_mix(cycle, found) || !has_time(session, found))
		return;
	cycle->since_ns = cycle->time_ns;
	AUTO(text)
	char *sentence = text_format("progress rises and falls in cycles of about %.2g s; "
				     "experiments begin and end with them",
				     1e-9 * rate_cycle_length_ns(found));
	driver_message(&session->driver, sentence);
}

/* Returns whether the rate of the point that is followed has risen. */
static bool follow(struct session *session, bool is_control)
{
	struct session_cycle *cycle = &session->cycle;
	struct step step = take_step(session);
	bool has_risen = false;

	for (unsigned i = 0; i < SESSION_CYCLE_POINTS; i++) {
		if (is_control)
			rate_cycle_learn(&cycle->points[i], step.effective_ns, step.visits[i]);
		bool rises =
			rate_cycle_follow(&cycle->points[i], step.effective_ns, step.visits[i]);
		has_risen |= rises && i == cycle->point;
	}
	return has_risen;
}

void session_cycle_step(struct session *session, bool is_control)
{
	(void)follow(session, is_control);
	if (is_control)
		find_cycle(session);
}

bool session_cycle_is_on(const struct session *session)
{
	return session->cycle.since_ns && !session->cycle.is_given_up;
}

uint64_t session_cycle_window_ns(const struct session *session)
{
	const struct session_cycle *cycle = &session->cycle;
	double length_ns = session_cycle_is_on(session) ?
				   rate_cycle_length_ns(&cycle->points[cycle->point]) :
				   0;

	return length_ns > (double)session->window_ns ? (uint64_t)length_ns : session->window_ns;
}

bool session_cycle_await(struct session *session, bool is_control)
{
	struct session_cycle *cycle = &session->cycle;
	uint64_t most_ns = AWAIT_LENGTHS * session_cycle_window_ns(session);
	uint64_t end_ns = clock_now_ns() + (most_ns < AWAIT_MOST_NS ? most_ns : AWAIT_MOST_NS);

	while (clock_now_ns() < end_ns) {
		if (!session_wait(session, STEP_NS))
			return false;
		if (follow(session, is_control)) {
			cycle->met++;
			return true;
		}
	}
	cycle->missed++;
	cycle->is_given_up = cycle->missed > MISSED_MOST + cycle->met;
	return true;
}

void session_cycle_count_whole(const struct session *session,
			       struct recording_experiment *experiment)
{
	for (size_t i = 0; session_cycle_is_on(session) && i < experiment->visits.count; i++) {
		struct recording_visit *visit = &experiment->visits.items[i];
		if (visit->visits < VISITS_MANY || visit->in_flight > 0 ||
		    (double)visit->duration_ns > PART_MOST * (double)experiment->duration_ns)
			continue;
		visit->visits++;
		visit->duration_ns = experiment->duration_ns;
		visit->delay_ns = experiment->delay_ns;
	}
}

void session_cycle_complete(const struct session *session, struct recording_run *run)
{
	unsigned point =
		session_cycle_is_on(session) ? session->cycle.point : busiest_point(session);
	const struct rate_cycle *found = &session->cycle.points[point];

	bool has_cycles = session_cycle_is_on(session) || !is_same_mix(&session->cycle, found);

	if (session->options->window_ns || !rate_cycle_is_found(found) || !has_cycles ||
	    (serves_requests(session) && !session_cycle_is_on(session)))
		return;
	run->cycle_ns = (uint64_t)rate_cycle_length_ns(found);
	run->whole_since_ns = session_cycle_is_on(session) ? session->cycle.since_ns : 0;
}

int session_cycle_finish(struct session *session, struct error *error)
{
	if (!session_cycle_is_on(session))
		return 0;
	return profile_cut_short_before(session->profile, session->driver.run.id,
					session->cycle.since_ns, error);
}
