/* SPDX-License-Identifier: BSD-2-Clause */
/* marks - waits in parts; the edges of an open window stand in shared memory. */
#include "experiment/session/marks.h"

#include "base/clock.h"
#include "experiment/progress/progress_visits.h"
#include "experiment/session/cycle.h"
#include "experiment/session/waiting.h"
#include "experiment/window_end.h"

static void add_marks(struct session *session, unsigned number,
		      const struct collector_counters *before,
		      struct recording_experiment *experiment)
{
	struct collector_counters now;

	collector_counters(session->collector, &now);
	struct recording_mark mark = {.number = number,
				      .elapsed_ns = now.time_ns - before->time_ns,
				      .sampled_ns = now.sampled_ns - before->sampled_ns,
				      .displaced_ns = now.displaced_ns - before->displaced_ns,
				      .cpu_ns = now.cpu_ns - before->cpu_ns};
	progress_visits_mark(session->points, &mark, experiment);
}

static struct window_progress progress_of(const struct session *session, uint64_t begin_ns)
{
	struct window_progress progress;

	progress.visits = progress_visits_so_far(session->points, &progress.duration_ns);
	progress.elapsed_ns = clock_now_ns() - begin_ns;
	return progress;
}

/* Where visits are rare, a window ends at one. */
static bool wait_for_visit(struct session *session, uint64_t begin_ns)
{
	struct window_progress planned = progress_of(session, begin_ns);
	struct window_progress before = planned, now = planned;
	uint64_t wait_ns;

	while ((wait_ns = window_end_wait_ns(&planned, &before, &now))) {
		if (!session_wait(session, wait_ns))
			return false;
		before = now;
		now = progress_of(session, begin_ns);
	}
	return true;
}

bool session_wait_marks(struct session *session, uint64_t duration_ns,
			const struct collector_counters *before,
			struct recording_experiment *experiment)
{
	bool sees_marks = collector_sees_open_windows(session->collector);
	uint64_t begin = clock_now_ns();

	for (unsigned number = 1; sees_marks && number < RECORDING_PARTS; number++) {
		uint64_t now = clock_now_ns(),
			 next = begin + number * duration_ns / RECORDING_PARTS;
		if (!session_wait(session, next > now ? next - now : 0))
			return false;
		if (!session_cycle_is_on(session))
			add_marks(session, number, before, experiment);
		session_cycle_step(session, experiment->speedup <= 0);
	}
	uint64_t now = clock_now_ns(), end = begin + duration_ns;
	if (!session_wait(session, end > now ? end - now : 0))
		return false;
	if (!sees_marks || session->options->window_ns)
		return true;
	if (session_cycle_is_on(session))
		return session_cycle_await(session, experiment->speedup <= 0);
	return wait_for_visit(session, begin);
}
