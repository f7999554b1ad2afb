/* SPDX-License-Identifier: BSD-2-Clause */
/* control_scatter - the variance of periods, freed of a drift. */
#include "check.h"

#include "experiment/control_scatter.h"
#include "profile/recording.h"
#include "stats/random.h"

#include <math.h>

#define WINDOWS 4000
#define WINDOW_NS 80000000ull

/* Controls whose log(period) has this deviation, and grows by `drift` over the run. */
static struct control_scatter scatter_of(double deviation, double drift)
{
	struct random random = random_seeded(5);
	struct control_scatter scatter = {0};

	for (unsigned i = 0; i < WINDOWS; i++) {
		double normal = -6;
		for (int j = 0; j < 12; j++)
			normal += random_uniform(&random);
		struct recording_experiment control = {.duration_ns = WINDOW_NS,
						       .delay_ns = WINDOW_NS / 4};
		struct recording_experiment fast = {.speedup = 0.5, .duration_ns = WINDOW_NS};
		struct recording_experiment displaced = {.duration_ns = WINDOW_NS,
							 .verdict = VERDICT_DISPLACED};
		control_scatter_learn(&scatter, &control,
				      1e3 * exp(-deviation * normal - drift * i / WINDOWS));
		control_scatter_learn(&scatter, &fast, 1e6);
		control_scatter_learn(&scatter, &displaced, 1);
		control_scatter_learn(&scatter, &control, 0);
	}
	return scatter;
}

TEST("the variance is that of controls that count, also if the machine gets slower")
{
	struct control_scatter steady = scatter_of(0.1, 0), drifting = scatter_of(0.1, 1);

	CHECK_NEAR(steady.pairs, WINDOWS - 1, 0.5);
	CHECK_NEAR(control_scatter_variance(&steady), 0.01, 0.0008);
	CHECK_NEAR(control_scatter_variance(&drifting), 0.01, 0.0008);
}
