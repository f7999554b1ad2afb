// SPDX-License-Identifier: BSD-2-Clause
/*
 * interval_coverage - how often 95 % intervals hold the truth, on simulated machines.
 *
 * Whole runs are simulated (session.h) and analyzed by the product's analysis. Each row of the
 * table is a group of points: one target, one speedup, one run. tests/accuracy/coverage starts it.
 */
#include "analyze/causal/causal.h"
#include "analyze/causal/certainty.h"
#include "discoveries.h"
#include "patterns.h"
#include "session.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: interval_coverage [--patterns A,B,...] [--engine kernel|runtime] [--cores N]\n"
	"                         [--programs N] [--runs N] [--seconds 15,30,60] [--seed N]\n"
	"                         [--machine still|calm|shared] [--virtual] [--usual] [--list]\n"
	"                         [--least PERCENT]\n"
	"       interval_coverage --tables N [--seconds 30] [--machine M] [--seed N]\n";

#define LENGTHS_MOST 6
#define GROUPS_MOST 160

struct group {
	char name[64];
	unsigned points, held, missing;
	double error, bias, worst, half; /* sums, but for worst */
	double noise;                    /* half intervals without the method's own error */
};

#define USUAL_SPEEDUPS 21

struct choices {
	const char *patterns, *machine;
	enum engine_kind engine; /* ENGINE_NONE: both */
	unsigned cores, programs, runs, tables;
	uint64_t seed;
	double seconds[LENGTHS_MOST], least;
	size_t length_count;
	bool is_virtual, is_usual, lists;
	struct group groups[GROUPS_MOST];
	size_t group_count;
};

/* Patterns whose errors are the rules', not the statistics' (README.md, "Known misses"). */
static const char *const left_out[] = {"device", "spin_lock",    "spin_ping_pong", "convoy",
				       "crowd",  "crowded_pool", "read_write",     "random"};

static bool has_name(const char *names, const char *name)
{
	const char *found = names ? strstr(names, name) : NULL;
	size_t length = strlen(name);

	for (; found; found = strstr(found + 1, name))
		if ((found == names || found[-1] == ',') &&
		    (!found[length] || found[length] == ','))
			return true;
	return false;
}

static bool is_asked(const struct choices *choices, const char *name)
{
	if (choices->patterns)
		return has_name(choices->patterns, name);
	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		if (!strcmp(left_out[i], name))
			return false;
	return true;
}

static struct group *group_of(struct choices *choices, const char *name)
{
	for (size_t i = 0; i < choices->group_count; i++)
		if (!strcmp(choices->groups[i].name, name))
			return &choices->groups[i];
	if (choices->group_count == GROUPS_MOST)
		return &choices->groups[GROUPS_MOST - 1];
	struct group *group = &choices->groups[choices->group_count++];
	snprintf(group->name, sizeof(group->name), "%s", name);
	return group;
}

static void group_add(struct group *group, const struct effect_point *point, double truth)
{
	double error = point ? point->gain - truth : 0;

	if (!point) {
		group->missing++;
		return;
	}
	group->points++;
	group->held += truth >= point->low && truth <= point->high;
	group->error += fabs(error);
	group->bias += error;
	double half = (point->high - point->low) / 2;
	double method = 1.96 * (EFFECT_METHOD_ERROR + EFFECT_METHOD_SHARE * fabs(point->gain));
	group->half += half;
	group->noise += sqrt(fmax(0, half * half - method * method));
	if (fabs(error) > fabs(group->worst))
		group->worst = error;
}

/* One run of one program. */
struct trial {
	const struct program *program;
	struct session_settings settings;
	const double *truth;
};

/* At a measured speedup; of the usual speedups, as the report reads the curve. */
static const struct effect_point *point_at(const struct choices *choices,
					   const struct causal_effect *effect, double speedup,
					   struct effect_point *read)
{
	for (size_t i = 0; effect && !choices->is_usual && i < effect->count; i++)
		if (fabs(effect->points[i].speedup - speedup) < 1e-6)
			return &effect->points[i];
	if (!effect || !choices->is_usual || certainty_effect_at(effect, speedup, read))
		return NULL;
	return read;
}

static void count_point(struct choices *choices, const struct trial *trial, int cut,
			const struct effect_point *point, const struct causal_effect *effect)
{
	const struct engine_settings *engine = &trial->settings.experiment.engine;
	double seconds = (double)trial->settings.length_ns / 1e9, truth = trial->truth[cut];
	char name[64];

	group_add(group_of(choices, "all"), point, truth);
	snprintf(name, sizeof(name), "%g s", seconds);
	group_add(group_of(choices, name), point, truth);
	snprintf(name, sizeof(name), "%d %%, %g s", 100 * (cut + 1) / EXPERIMENT_CUTS, seconds);
	group_add(group_of(choices, name), point, truth);
	group_add(group_of(choices, engine->kind == ENGINE_KERNEL ? "kernel" : "runtime"), point,
		  truth);
	snprintf(name, sizeof(name), "%s, %g s", trial->program->name, seconds);
	group_add(group_of(choices, name), point, truth);
	if (choices->lists && point)
		printf("%-14s seed %-4llu %-7s %4.0f s %4d %%  truth %6.1f  told %6.1f [%6.1f, "
		       "%6.1f] of %u level %u%s%s\n",
		       trial->program->name, (unsigned long long)trial->settings.seed,
		       engine->kind == ENGINE_KERNEL ? "kernel" : "runtime", seconds,
		       100 * (cut + 1) / EXPERIMENT_CUTS, 100 * truth, 100 * point->gain,
		       100 * point->low, 100 * point->high, point->windows,
		       effect->warm_up.levels[cut + 1],
		       effect->exceeds_charge ? "  exceeds its charge" : "",
		       truth < point->low || truth > point->high ? "  misses" : "");
}

static void trial_run(struct choices *choices, struct machine *machine, const struct trial *trial)
{
	struct session_targets targets = session_one_target(trial->program);
	struct recording *recording =
		session_simulate(machine, trial->program, &targets, &trial->settings);
	struct causal *causal = causal_new(recording);
	const struct causal_effect *effect =
		causal->targets[0].count ? &causal->targets[0].effects[0] : NULL;

	for (int cut = 0; cut < EXPERIMENT_CUTS; cut++) {
		double speedup = (cut + 1) / (double)EXPERIMENT_CUTS;
		struct effect_point read;
		count_point(choices, trial, cut, point_at(choices, effect, speedup, &read), effect);
	}
	causal_free(causal);
	recording_free(recording);
}

static void program_run(struct choices *choices, struct machine *machine,
			const struct program *program, enum engine_kind engine, uint64_t seed)
{
	static const double speedups[] = {0, 0.25, 0.5, 0.75, 1};
	double usual[USUAL_SPEEDUPS]; /* as lever run tries them */
	double truth[EXPERIMENT_CUTS];
	struct trial trial = {.program = program, .truth = truth};

	for (unsigned i = 0; i < USUAL_SPEEDUPS; i++)
		usual[i] = 0.05 * i;
	trial.settings = (struct session_settings){
		.experiment = experiment_usual(choices->cores, engine, seed),
		.drift = drift_named(choices->machine),
		.seed = seed,
		.speedups = choices->is_usual ? usual : speedups,
		.speedup_count = choices->is_usual ? USUAL_SPEEDUPS :
						     sizeof(speedups) / sizeof(speedups[0])};
	if (choices->is_virtual)
		experiment_on_virtual_machine(&trial.settings.experiment);
	struct session_targets targets = session_one_target(program);
	if (!session_truth(machine, program, targets.operations[0], &trial.settings, truth))
		return;
	for (unsigned run = 0; run < choices->runs; run++)
		for (size_t i = 0; i < choices->length_count; i++) {
			trial.settings.seed = seed * 1000 + run;
			trial.settings.experiment.machine.seed = trial.settings.seed;
			trial.settings.length_ns = (uint64_t)(1e9 * choices->seconds[i]);
			trial_run(choices, machine, &trial);
		}
}

/* Queues that fill or empty for longer than a window. */
static void build_long_queue(struct program *program, uint64_t seed)
{
	struct random random = random_seeded(seed * 104729);
	uint32_t consume = 300000 + (uint32_t)random_below(&random, 900000);
	uint32_t produce = (uint32_t)(consume * (0.45 + 0.4 * random_uniform(&random)));

	*program = (struct program){
		.name = "long_queue",
		.operation_count = 5,
		.operations = {{.kind = OPERATION_COMPUTE,
				.mean_ns = produce,
				.spread_percent = 10},
			       {.kind = OPERATION_PUT},
			       {.kind = OPERATION_TAKE},
			       {.kind = OPERATION_COMPUTE,
				.mean_ns = consume,
				.spread_percent = 10,
				.is_target = true},
			       {.kind = OPERATION_VISIT}},
		.object_count = 1,
		.objects = {{0, 16 + (int32_t)random_below(&random, 112)}},
		.role_count = 2,
		.roles = {{0, 2, 1, false}, {2, 3, 1, false}},
		.thread_count = 2,
	};
}

/* 6 to 40 units a second, of one thread; of like or of unlike length. */
static void build_slow_unit(struct program *program, uint64_t seed)
{
	struct random random = random_seeded(seed * 15485863);
	uint32_t unit = 25000000 + (uint32_t)random_below(&random, 140000000);
	uint32_t target = (uint32_t)(unit * (0.2 + 0.5 * random_uniform(&random)));
	uint8_t spread = random_below(&random, 2) ? 5 : 60;

	*program = (struct program){
		.name = "slow_unit",
		.operation_count = 3,
		.operations = {{.kind = OPERATION_COMPUTE,
				.mean_ns = unit - target,
				.spread_percent = spread},
			       {.kind = OPERATION_COMPUTE,
				.mean_ns = target,
				.spread_percent = spread,
				.is_target = true},
			       {.kind = OPERATION_VISIT}},
		.role_count = 1,
		.roles = {{0, 3, 1, false}},
		.thread_count = 1,
	};
}

/* Beside the patterns: programs of which a few visits, or a few windows, tell little. */
static const struct {
	const char *name;
	void (*build)(struct program *program, uint64_t seed);
} own_patterns[] = {{"long_queue", build_long_queue}, {"slow_unit", build_slow_unit}};
#define OWN_PATTERNS (sizeof(own_patterns) / sizeof(own_patterns[0]))

static void programs_run(struct choices *choices, struct machine *machine, enum engine_kind engine)
{
	struct program program;

	for (uint32_t i = 0; i < pattern_count + OWN_PATTERNS; i++) {
		const char *name =
			i < pattern_count ? patterns[i].name : own_patterns[i - pattern_count].name;
		for (unsigned j = 0; is_asked(choices, name) && j < choices->programs; j++) {
			uint64_t seed = choices->seed + j;
			if (i < pattern_count)
				pattern_program(&patterns[i], seed, choices->cores, &program);
			else
				own_patterns[i - pattern_count].build(&program, seed);
			program_run(choices, machine, &program, engine, seed);
		}
	}
}

static void print_groups(const struct choices *choices)
{
	printf("%-24s %6s %8s %6s %6s %7s %7s %6s %5s\n", "", "points", "held", "error", "bias",
	       "worst", "half", "noise", "none");
	for (size_t i = 0; i < choices->group_count; i++) {
		const struct group *group = &choices->groups[i];
		double count = group->points ? group->points : 1;
		printf("%-24s %6u %6.1f %% %6.2f %+6.2f %+7.1f %7.2f %6.2f %5u\n", group->name,
		       group->points, 100 * group->held / count, 100 * group->error / count,
		       100 * group->bias / count, 100 * group->worst, 100 * group->half / count,
		       100 * group->noise / count, group->missing);
	}
}

static void wrong_usage(void)
{
	fputs(usage, stderr);
	exit(2);
}

static void lengths_read(struct choices *choices, char *text)
{
	choices->length_count = 0;
	for (char *one = strtok(text, ","); one; one = strtok(NULL, ",")) {
		if (choices->length_count == LENGTHS_MOST)
			wrong_usage();
		choices->seconds[choices->length_count++] = atof(one);
	}
}

static void option_take(struct choices *choices, int option)
{
	switch (option) {
	case 'p':
		choices->patterns = optarg;
		break;
	case 'e':
		choices->engine = strcmp(optarg, "kernel") ? ENGINE_RUNTIME : ENGINE_KERNEL;
		break;
	case 'c':
		choices->cores = (unsigned)atoi(optarg);
		break;
	case 'n':
		choices->programs = (unsigned)atoi(optarg);
		break;
	case 'r':
		choices->runs = (unsigned)atoi(optarg);
		break;
	case 's':
		lengths_read(choices, optarg);
		break;
	case 'm':
		choices->machine = optarg;
		break;
	case 'i':
		choices->seed = strtoul(optarg, NULL, 10);
		break;
	case 't':
		choices->tables = (unsigned)atoi(optarg);
		break;
	case 'v':
		choices->is_virtual = true;
		break;
	case 'u':
		choices->is_usual = true;
		break;
	case 'l':
		choices->lists = true;
		break;
	case 'a':
		choices->least = atof(optarg);
		break;
	default:
		wrong_usage();
	}
}

static void options_read(struct choices *choices, int count, char **arguments)
{
	static const struct option options[] = {{"patterns", required_argument, NULL, 'p'},
						{"engine", required_argument, NULL, 'e'},
						{"cores", required_argument, NULL, 'c'},
						{"programs", required_argument, NULL, 'n'},
						{"runs", required_argument, NULL, 'r'},
						{"seconds", required_argument, NULL, 's'},
						{"machine", required_argument, NULL, 'm'},
						{"seed", required_argument, NULL, 'i'},
						{"tables", required_argument, NULL, 't'},
						{"virtual", no_argument, NULL, 'v'},
						{"usual", no_argument, NULL, 'u'},
						{"list", no_argument, NULL, 'l'},
						{"least", required_argument, NULL, 'a'},
						{0}};
	int option;

	while ((option = getopt_long(count, arguments, "", options, NULL)) != -1)
		option_take(choices, option);
	if (optind < count || !drift_named(choices->machine) || choices->cores < 1 ||
	    choices->cores > MACHINE_CORES_MOST)
		wrong_usage();
}

int main(int count, char **arguments)
{
	static struct machine machine;
	static struct choices choices = {.machine = "calm",
					 .cores = 2,
					 .programs = 4,
					 .runs = 2,
					 .seed = 1,
					 .seconds = {15, 30, 60},
					 .length_count = 3};

	options_read(&choices, count, arguments);
	for (size_t i = 0; choices.tables && i < choices.length_count; i++)
		discoveries_print(drift_named(choices.machine), choices.tables, choices.seconds[i],
				  choices.seed);
	if (choices.tables)
		return 0;
	if (choices.engine != ENGINE_RUNTIME)
		programs_run(&choices, &machine, ENGINE_KERNEL);
	if (choices.engine != ENGINE_KERNEL)
		programs_run(&choices, &machine, ENGINE_RUNTIME);
	print_groups(&choices);
	const struct group *all = group_of(&choices, "all");
	return 100.0 * all->held < choices.least * (all->points + all->missing);
}
