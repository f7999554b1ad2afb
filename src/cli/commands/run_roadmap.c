/* SPDX-License-Identifier: BSD-2-Clause */
/* run_roadmap - reads the profile between two runs, and assumes what it advises. */
#include "cli/commands/run_roadmap.h"

#include "analyze/causal/roadmap.h"
#include "base/cleanup.h"
#include "driver/interruption.h"
#include "profile/profile.h"
#include "report/display.h"

CLEANUP_DEFINE(causal, struct causal *, causal_free, NULL)
CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)

static void tell(const struct driver_options *driver, const struct roadmap_step *step,
		 unsigned number)
{
	AUTO(text) char *name = display_clean(step->name);
	AUTO(text) char *gain = display_gain(step->at.gain);
	AUTO(text)
	char *sentence =
		text_format("step %u: %s, %s by %g %% less time; it is assumed from now on", number,
			    name, gain, 100 * ROADMAP_SPEEDUP);

	driver->message(driver->context, sentence);
}

/* Adds the step that the runs so far advise; false: no change gains for sure, or the end. */
static bool assume_next(struct session_named_target *assumed, unsigned number,
			const struct driver_options *driver, struct error *error)
{
	AUTO(recording) struct recording *recording = NULL;

	if (profile_read(driver->output, &recording, error))
		return false;
	recording_keep(recording, RUN_CAUSAL);
	AUTO(causal) struct causal *causal = causal_new(recording);
	struct roadmap roadmap = roadmap_of(causal);
	bool has_step = roadmap.count > number;
	if (has_step) {
		tell(driver, &roadmap.steps[number], number + 1);
		*assumed =
			(struct session_named_target){.name = text_copy(roadmap.steps[number].name),
						      .level = ROADMAP_SPEEDUP};
	} else {
		driver->message(driver->context,
				"no further change gains for sure; the order of work ends here");
	}
	roadmap_release(&roadmap);
	return has_step;
}

void run_roadmap(const struct session_options *options, unsigned steps,
		 const struct driver_options *driver, struct driver_result *result,
		 struct error *error)
{
	struct session_named_target assumed[ROADMAP_STEPS_MOST] = {{0}};
	struct session_options session = *options;
	struct driver_options again = *driver;

	session.without_set_search = true;
	session.assumed = assumed;
	for (unsigned step = 0; step < steps; step++) {
		session.assumed_count = step;
		session.seed = options->seed + step;
		session_run(&session, &again, result, error);
		again.fresh = false;
		if (result->end != DRIVER_ANSWERED || interruption_any() || step + 1 == steps ||
		    !assume_next(&assumed[step], step, driver, error))
			break;
	}
	for (unsigned step = 0; step < ROADMAP_STEPS_MOST; step++)
		free((char *)(uintptr_t)assumed[step].name);
}
