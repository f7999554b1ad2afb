/* SPDX-License-Identifier: BSD-2-Clause */
/* run_verbose - one line for each event of a session. */
#include "cli/commands/run_verbose.h"

#include "base/cleanup.h"
#include "cli/output/message.h"
#include "report/display.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static void print(void *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print(void *context, const char *format, ...)
{
	va_list arguments;

	live_line_clear(context);
	va_start(arguments, format);
	message_write(format, arguments);
	va_end(arguments);
}

static void on_calibrated(void *context, const struct session_calibration *calibration)
{
	AUTO(text) char *period = display_duration((double)calibration->period_ns);
	AUTO(text) char *shortest = display_duration((double)calibration->shortest_period_ns);
	AUTO(text) char *tick = display_duration((double)calibration->tick_ns);
	AUTO(text) char *window = display_duration((double)calibration->window_ns);

	print(context,
	      "calibration: %s engine, %u cores, a sample every %s of each (at least %s), which "
	      "takes %s; windows of %s; seed %" PRIu64,
	      calibration->engine, calibration->cpus, period, shortest, tick, window,
	      calibration->seed);
}

static void on_chosen(void *context, const struct session_choice *choice)
{
	AUTO(text) char *name = display_clean(choice->target);

	if (choice->is_external)
		print(context, "target %s: all that is not the program's, one block in eight",
		      name);
	else
		print(context,
		      "target %s: %.1f %% of the sampled time; %s, with probability %.3f among %zu",
		      name, 100 * choice->sampled_share,
		      choice->is_given ? "given, and drawn" : "drawn by recent samples",
		      choice->probability, choice->candidates);
}

/* Why it does not count; to be freed. */
static char *reason(const struct session_window *window)
{
	switch (window->experiment->verdict) {
	case VERDICT_COUNTED:
		return text_copy("counts");
	case VERDICT_CUT_SHORT:
		return text_copy("discarded: the program or the session ended, or the engine "
				 "stood still");
	case VERDICT_DISPLACED:
		return text_format("discarded: other programs took %.1f %% of it, at most %.1f %% "
				   "is accepted now",
				   100 * window->displaced_share, 100 * window->displaced_limit);
	case VERDICT_TOO_FEW_VISITS:
		break;
	}
	AUTO(text) char *next = display_duration((double)window->next_window_ns);
	return text_format("discarded: too few visits; windows last %s now", next);
}

static void on_window(void *context, const struct session_window *window)
{
	const struct recording_experiment *experiment = window->experiment;
	AUTO(text) char *name = display_clean(window->target);
	AUTO(text) char *duration = display_duration((double)experiment->duration_ns);
	AUTO(text) char *delay = display_duration((double)experiment->delay_ns);
	AUTO(text) char *period = display_duration((double)window->period_ns);
	AUTO(text) char *verdict = reason(window);

	print(context,
	      "window %d/%d of %s, speedup %.0f %%: %s, of it pauses %s; %.0f visits; a sample "
	      "every %s; %s",
	      experiment->series_index + 1, window->count, name, 100 * experiment->speedup,
	      duration, delay, window->visits, period, verdict);
}

static void on_warm_up(void *context, const struct session_warm_up *warm_up)
{
	AUTO(text) char *name = display_clean(warm_up->target);

	print(context,
	      "warm-up of %s: progress changes within a series; its first %u windows are left out",
	      name, warm_up->skipped);
}

static void on_finished(void *context, const struct collector_counters *counters)
{
	AUTO(text) char *paused = display_duration((double)counters->spun_ns);
	AUTO(text) char *longest = display_duration((double)counters->longest_spin_ns);
	AUTO(text) char *late = display_duration((double)counters->overshoot_ns);

	print(context,
	      "pauses: %" PRIu64 " of %s in all, the longest %s, %s too long in all; at %" PRIu64
	      " of %" PRIu64 " ticks, %" PRIu64 " wake-ups, %" PRIu64 " switches",
	      counters->spins, paused, longest, late, counters->tick_spins, counters->ticks,
	      counters->wake_spins, counters->switch_spins);
	print(context,
	      "samples: %" PRIu64 ", %" PRIu64 " in the target; %" PRIu64 " lost, %" PRIu64
	      " addresses without a mapping, %" PRIu64 " heartbeats too late",
	      counters->samples, counters->target_samples, counters->lost, counters->failed_lookups,
	      counters->missed_heartbeats);
}

struct session_observer run_verbose_observer(struct live_line *live)
{
	return (struct session_observer){.context = live,
					 .calibrated = on_calibrated,
					 .chosen = on_chosen,
					 .window = on_window,
					 .warm_up = on_warm_up,
					 .finished = on_finished};
}
