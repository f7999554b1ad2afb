// SPDX-License-Identifier: BSD-2-Clause
/* discoveries - a path of two parts on one core; 30 parts of other threads on five more. */
#include "discoveries.h"

#include "analyze/causal/causal.h"
#include "session.h"

#include <stdio.h>

#define CORES 6
#define BESIDE_THREADS 5
#define BESIDE_PARTS 6

struct found {
	unsigned tables, with_false, false_ones, targets, paths_found, paths;
};

static void program_build(struct program *program, uint64_t seed)
{
	struct random random = random_seeded(seed * 6700417);
	uint16_t next = 0;

	*program = (struct program){.name = "beside", .role_count = 1 + BESIDE_THREADS};
	for (uint16_t role = 0; role < program->role_count; role++) {
		uint16_t parts = role ? BESIDE_PARTS : 2;
		program->roles[role] = (struct role){next, (uint16_t)(parts + !role), 1, false};
		for (uint16_t part = 0; part < parts; part++)
			program->operations[next++] = (struct operation){
				.kind = OPERATION_COMPUTE,
				.spread_percent = 30,
				.mean_ns = 50000 + (uint32_t)random_below(&random, 600000)};
		if (!role)
			program->operations[next++].kind = OPERATION_VISIT;
	}
	program->operation_count = next;
	program->thread_count = program->role_count;
}

static void count(struct found *found, const struct causal *causal)
{
	unsigned false_ones = 0;

	for (size_t i = 0; i < causal->count; i++) {
		const struct causal_target *target = &causal->targets[i];
		bool is_path = target->target->id <= 2; /* operations 0 and 1 */
		for (size_t j = 0; j < target->count; j++) {
			bool is_sure = target->effects[j].outcome != EFFECT_UNSURE;
			found->targets += !is_path;
			found->paths += is_path;
			false_ones += !is_path && is_sure;
			found->paths_found += is_path && target->effects[j].outcome == EFFECT_GAIN;
		}
	}
	found->tables++;
	found->with_false += false_ones > 0;
	found->false_ones += false_ones;
}

void discoveries_print(const struct drift_settings *drift, unsigned tables, double seconds,
		       uint64_t seed)
{
	static struct machine machine;
	double speedups[20];
	struct found found = {0};

	for (int i = 0; i < 20; i++)
		speedups[i] = 0.05 * (i + 1);
	for (unsigned table = 0; table < tables; table++) {
		struct session_settings settings = {.experiment =
							    experiment_usual(CORES, ENGINE_KERNEL,
									     seed + table),
						    .drift = drift,
						    .seed = seed + table,
						    .length_ns = (uint64_t)(1e9 * seconds),
						    .speedups = speedups,
						    .speedup_count = 20};
		struct program program;
		program_build(&program, seed + table);
		struct session_targets targets = session_all_targets(&program);
		struct recording *recording =
			session_simulate(&machine, &program, &targets, &settings);
		struct causal *causal = causal_new(recording);
		count(&found, causal);
		causal_free(causal);
		recording_free(recording);
	}
	printf("%u tables of %g s: %u (%.1f %%) with a sure effect where there is none, %u of %u "
	       "targets; %u of %u parts of the path found\n",
	       found.tables, seconds, found.with_false, 100.0 * found.with_false / found.tables,
	       found.false_ones, found.targets, found.paths_found, found.paths);
}
