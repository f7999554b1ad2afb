// SPDX-License-Identifier: BSD-2-Clause
/* drift - advances in steps of 10 ms. */
#include "drift.h"

#include <math.h>
#include <string.h>

#define STEP_NS 10000000ull
#define STRETCH_NS 60e6 /* mean length of a slow stretch */
#define PROCESSES 3

static const double times_ns[PROCESSES] = {100e6, 700e6, 5e9};

static const struct {
	const char *name;
	struct drift_settings settings;
} machines[] = {
	{"still", {.deviation = 0, .stretch_slowness = 1}},
	{"calm", {.deviation = 0.006, .common = 0.5, .stretches = 0.01, .stretch_slowness = 1.2}},
	{"shared", {.deviation = 0.03, .common = 0.5, .stretches = 0.06, .stretch_slowness = 1.4}},
};

const struct drift_settings *drift_named(const char *name)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (!strcmp(machines[i].name, name))
			return &machines[i].settings;
	return NULL;
}

static double normal(struct random *random)
{
	double radius = sqrt(-2 * log(1 - random_uniform(random)));
	return radius * cos(2 * M_PI * random_uniform(random));
}

struct drift drift_start(const struct drift_settings *settings, uint64_t seed)
{
	struct drift drift = {.settings = *settings, .random = random_seeded(seed * 31 + 5)};

	for (int i = 0; i < PROCESSES; i++) {
		drift.common[i] = normal(&drift.random);
		for (uint32_t core = 0; core < MACHINE_CORES_MOST; core++)
			drift.own[core][i] = normal(&drift.random);
	}
	return drift;
}

static void stretch_advance(struct drift *drift, uint32_t core, uint64_t now_ns)
{
	double share = drift->settings.stretches, mean_ns = STRETCH_NS;

	if (!(share > 0) || now_ns < drift->stretch_end_ns[core])
		return;
	drift->is_slow[core] = drift->stretch_end_ns[core] && !drift->is_slow[core];
	if (!drift->is_slow[core])
		mean_ns *= (1 - share) / share;
	drift->stretch_end_ns[core] =
		now_ns + (uint64_t)(-mean_ns * log(1 - random_uniform(&drift->random)));
}

static void drift_step(struct drift *drift, struct machine *machine)
{
	double common = sqrt(drift->settings.common), own = sqrt(1 - drift->settings.common);

	for (uint32_t core = 0; core < machine->settings.cores; core++)
		machine->slowness[core] = 0;
	for (int i = 0; i < PROCESSES; i++) {
		double kept = exp(-(double)STEP_NS / times_ns[i]), fresh = sqrt(1 - kept * kept);
		drift->common[i] = kept * drift->common[i] + fresh * normal(&drift->random);
		for (uint32_t core = 0; core < machine->settings.cores; core++) {
			double *state = &drift->own[core][i];
			*state = kept * *state + fresh * normal(&drift->random);
			machine->slowness[core] += common * drift->common[i] + own * *state;
		}
	}
	for (uint32_t core = 0; core < machine->settings.cores; core++) {
		stretch_advance(drift, core, machine->now_ns);
		machine->slowness[core] =
			exp(drift->settings.deviation * machine->slowness[core]) *
			(drift->is_slow[core] ? drift->settings.stretch_slowness : 1);
	}
}

void drift_run(struct drift *drift, struct machine *machine, uint64_t ns)
{
	uint64_t end_ns = machine->now_ns + ns;

	while (machine->now_ns < end_ns) {
		uint64_t next_ns = (machine->now_ns / STEP_NS + 1) * STEP_NS;
		machine_run(machine, next_ns < end_ns ? next_ns : end_ns);
		if (machine->now_ns == next_ns)
			drift_step(drift, machine);
	}
}
