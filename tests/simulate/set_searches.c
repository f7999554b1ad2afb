// SPDX-License-Identifier: BSD-2-Clause
/*
 * set_searches - finds sets that gain only together in simulated programs: hits, misses, time.
 *
 * Each program has up to 40 computations. In some, two or three of them gain only together; in the
 * others single ones explain all. The product's search (experiment/set_search.h) is followed by
 * experiments on the set that it found and on its members, and the product's analysis judges as in
 * a report. What is true is told by cutting lengths.
 */
#include "analyze/causal/causal.h"
#include "analyze/causal/interaction.h"
#include "experiment/set_search.h"
#include "session.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_NS 82000000ull
#define LEAD_IN_NS 10000000ull
#define CONFIRM_LEAST_SECONDS 20.0
#define EXCESS_LEAST 0.05 /* true: a set is one; up to half of it, it is none */
#define KEPT_LEAST 0.4    /* of the planted set's excess: a smaller set, or another one */
#define CANDIDATES 40
#define PARTS_MOST 20

static const char usage[] =
	"usage: set_searches [--programs N] [--kind NAME] [--machine still|calm|shared]\n"
	"                    [--engine kernel|runtime] [--seed N] [--list]\n"
	"                    [--least-found PERCENT] [--most-false PERCENT]\n";

/* A program, and which of its operations gain only together. */
struct planted {
	struct program program;
	struct session_set set;
	unsigned members, cores;
	double seconds_most; /* of its search and confirmation */
};

struct choices {
	const char *kind, *machine;
	enum engine_kind engine;
	unsigned programs;
	uint64_t seed;
	bool lists;
	double least_found, most_false;
};

struct row {
	const char *name;
	unsigned programs, planted, found, missed, false_sets, guessed, late;
	double seconds, longest, windows;
};

/* ---- programs ---- */

static struct operation *add(struct program *program, enum operation_kind kind, uint32_t mean_ns)
{
	struct operation *operation = &program->operations[program->operation_count++];

	*operation = (struct operation){.kind = (uint8_t)kind, .mean_ns = mean_ns};
	program->roles[program->role_count - 1].count++;
	return operation;
}

static void begin_role(struct program *program, uint16_t threads)
{
	program->roles[program->role_count++] =
		(struct role){.first = (uint16_t)program->operation_count, .threads = threads};
	program->thread_count += threads;
}

static double between(struct random *random, double least, double most)
{
	return least + (most - least) * random_uniform(random);
}

/* Computations of so much time together; some of them, of equal length, are members. */
static void add_parts(struct planted *planted, struct random *random, double total_ns,
		      unsigned count, unsigned members)
{
	double shares[PARTS_MOST], sum = 0, main_share = between(random, 0.5, 0.8);
	unsigned order[PARTS_MOST];
	uint8_t spread = (uint8_t)random_below(random, 25);

	for (unsigned i = 0; i < count; i++) {
		order[i] = i;
		sum += shares[i] = i < members ? 0 : between(random, 0.3, 1);
	}
	for (unsigned i = 0; i < count; i++)
		shares[i] = i < members ? main_share / members :
					  shares[i] / sum * (members ? 1 - main_share : 1);
	random_shuffle(random, order, count, sizeof(*order));
	for (unsigned i = 0; i < count; i++) {
		planted->set.has[planted->program.operation_count] = order[i] < members;
		add(&planted->program, OPERATION_COMPUTE, (uint32_t)(total_ns * shares[order[i]]))
			->spread_percent = spread;
	}
	planted->members += members;
}

/* Branches that meet; `factors`: the lengths of those after the first. */
static void build_branches(struct planted *planted, struct random *random, const double *factors,
			   const unsigned *members, unsigned branches)
{
	struct program *program = &planted->program;
	double mean_ns = between(random, 300e3, 3e6);

	program->object_count = 2;
	program->objects[0].capacity = program->objects[1].capacity = (int32_t)branches;
	for (unsigned i = 0; i < branches; i++) {
		begin_role(program, 1);
		add_parts(planted, random, mean_ns * factors[i], (CANDIDATES - 1) / branches,
			  members[i]);
		add(program, OPERATION_BARRIER, 0);
		if (!i) {
			add(program, OPERATION_COMPUTE,
			    (uint32_t)(mean_ns * between(random, 0.01, 0.4)));
			add(program, OPERATION_VISIT, 0);
		}
		add(program, OPERATION_BARRIER, 0)->object = 1;
	}
}

static void build_pair(struct planted *planted, struct random *random)
{
	build_branches(planted, random, (double[]){1, between(random, 0.9, 1.1)},
		       (unsigned[]){1, 1}, 2);
}

/* Two parts of one branch: one of them is a smaller set, with half of the excess. */
static void build_one_and_two(struct planted *planted, struct random *random)
{
	planted->seconds_most = 180;
	build_branches(planted, random, (double[]){1, between(random, 0.92, 1.08)},
		       (unsigned[]){1, 2}, 2);
}

static void build_triple(struct planted *planted, struct random *random)
{
	planted->cores = 4;
	planted->seconds_most = 180;
	build_branches(planted, random,
		       (double[]){1, between(random, 0.92, 1.08), between(random, 0.92, 1.08)},
		       (unsigned[]){1, 1, 1}, 3);
}

/* The longer branch alone decides, also if it is half as long. */
static void build_unequal(struct planted *planted, struct random *random)
{
	build_branches(planted, random, (double[]){1, between(random, 0.2, 0.45)},
		       (unsigned[]){0, 0}, 2);
}

static void build_serial(struct planted *planted, struct random *random)
{
	begin_role(&planted->program, 1);
	add_parts(planted, random, between(random, 300e3, 3e6), PARTS_MOST, 0);
	add_parts(planted, random, between(random, 300e3, 3e6), PARTS_MOST, 0);
	add(&planted->program, OPERATION_VISIT, 0);
}

/* Two threads that do the same, side by side. */
static void build_same(struct planted *planted, struct random *random)
{
	begin_role(&planted->program, 2);
	add_parts(planted, random, between(random, 300e3, 3e6), PARTS_MOST, 0);
	add_parts(planted, random, between(random, 300e3, 3e6), PARTS_MOST, 0);
	add(&planted->program, OPERATION_VISIT, 0);
}

/* A queue whose slower end decides. */
static void build_queue(struct planted *planted, struct random *random)
{
	struct program *program = &planted->program;
	double mean_ns = between(random, 300e3, 2e6);

	program->object_count = 1;
	program->objects[0].capacity = 1 + (int32_t)random_below(random, 8);
	begin_role(program, 1);
	add_parts(planted, random, mean_ns * between(random, 0.2, 0.45), PARTS_MOST, 0);
	add(program, OPERATION_PUT, 0);
	begin_role(program, 1);
	add(program, OPERATION_TAKE, 0);
	add_parts(planted, random, mean_ns, PARTS_MOST, 0);
	add(program, OPERATION_VISIT, 0);
}

/* A branch as long as the other, but one after the other. */
static void build_relay(struct planted *planted, struct random *random)
{
	struct program *program = &planted->program;
	double mean_ns = between(random, 300e3, 2e6);

	program->object_count = 2;
	program->objects[0].value = 1;
	for (int i = 0; i < 2; i++) {
		begin_role(program, 1);
		add(program, OPERATION_WAIT, 0)->object = (uint8_t)i;
		add_parts(planted, random, mean_ns, PARTS_MOST, 0);
		add(program, OPERATION_POST, 0)->object = (uint8_t)!i;
		if (i)
			add(program, OPERATION_VISIT, 0);
	}
}

static const struct {
	const char *name;
	void (*build)(struct planted *planted, struct random *random);
} kinds[] = {{"pair", build_pair},       {"one_and_two", build_one_and_two},
	     {"triple", build_triple},   {"serial", build_serial},
	     {"unequal", build_unequal}, {"same", build_same},
	     {"queue", build_queue},     {"relay", build_relay}};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* ---- what is true ---- */

struct truth {
	struct machine *machine;
	const struct planted *planted;
	const struct session_settings *settings;
	double usual_ns;
};

static double true_gain(const struct truth *truth, const struct session_set *set)
{
	return 1 - session_set_period(truth->machine, &truth->planted->program, set,
				      truth->settings, SET_SEARCH_SPEEDUP) /
			   truth->usual_ns;
}

static double true_excess(const struct truth *truth, const struct session_set *set)
{
	double excess = true_gain(truth, set);

	for (uint32_t i = 0; i < truth->planted->program.operation_count; i++) {
		struct session_set one = {0};
		one.has[i] = true;
		excess -= set->has[i] ? true_gain(truth, &one) : 0;
	}
	return excess;
}

/* ---- the search ---- */

struct searching {
	struct machine *machine;
	struct program program; /* whose targets change */
	struct drift drift;
	const struct session_settings *settings;
	struct session_targets candidates;
	struct session_set found;
	unsigned found_members, windows;
	double seconds;
};

/* The time between two visits, as the engine tells it. */
static double window_period(struct searching *searching, double speedup)
{
	struct machine *machine = searching->machine;

	engine_set_speedup(machine, speedup);
	drift_run(&searching->drift, machine, LEAD_IN_NS);
	machine_begin_window(machine);
	drift_run(&searching->drift, machine, WINDOW_NS);
	engine_set_speedup(machine, 0);
	searching->windows++;
	return machine->visits > 1 ? (double)(machine->last_visit_ns - machine->first_visit_ns -
					      (machine->last_delay_ns - machine->first_delay_ns)) /
					     ((double)machine->visits - 1) :
				     NAN;
}

static void choose(struct searching *searching, uint64_t members)
{
	struct session_set set = {0};

	for (size_t i = 0; i < searching->candidates.count; i++)
		set.has[searching->candidates.operations[i]] = members >> i & 1;
	session_choose_set(&searching->program, &set);
	searching->found = set;
}

static unsigned role_of(const struct program *program, uint32_t operation)
{
	unsigned role = 0;

	while (role + 1 < program->role_count && program->roles[role + 1].first <= operation)
		role++;
	return role;
}

static bool search_run(struct searching *searching, double seconds_most)
{
	const struct experiment_settings *settings = &searching->settings->experiment;
	struct machine *machine = searching->machine;
	unsigned roles[SESSION_TARGETS_MOST];

	searching->candidates = session_all_targets(&searching->program);
	for (size_t i = 0; i < searching->candidates.count; i++)
		roles[i] = role_of(&searching->program, searching->candidates.operations[i]);
	struct set_search *search = set_search_new(roles, searching->candidates.count);
	machine_start(machine, &settings->machine, &settings->engine, &searching->program);
	engine_set_period(machine, settings->densest_ns);
	drift_run(&searching->drift, machine, settings->warm_up_ns);
	uint64_t began_ns = machine->now_ns, set;
	double before = window_period(searching, 0);
	while ((set = set_search_next(search)) &&
	       (double)(machine->now_ns - began_ns) < 1e9 * seconds_most) {
		choose(searching, set);
		double period = window_period(searching, SET_SEARCH_SPEEDUP);
		double after = window_period(searching, 0);
		double gain = 1 - 2 * period / (before + after);
		if (isfinite(gain))
			set_search_add(search, gain);
		before = after;
	}
	searching->seconds = (double)(machine->now_ns - began_ns) / 1e9;
	bool is_found = set_search_state(search) == SET_SEARCH_FOUND;
	searching->found_members = (unsigned)__builtin_popcountll(set_search_found(search));
	choose(searching, is_found ? set_search_found(search) : 0);
	set_search_free(search);
	return is_found;
}

/* Would the report name the set? By experiments after the search. */
static bool is_confirmed(struct searching *searching, const struct planted *planted)
{
	struct session_targets targets = {.weights = {2}, .sets = {&searching->found}, .count = 1};
	struct session_settings settings = *searching->settings;
	bool is_confirmed = false;

	double seconds = fmax(planted->seconds_most - searching->seconds, CONFIRM_LEAST_SECONDS);
	settings.length_ns = (uint64_t)(1e9 * seconds);
	for (uint32_t i = 0; i < planted->program.operation_count; i++)
		if (searching->found.has[i]) {
			targets.operations[targets.count] = i;
			targets.weights[targets.count++] = 1;
		}
	struct recording *recording =
		session_simulate(searching->machine, &planted->program, &targets, &settings);
	struct causal *causal = causal_new(recording);
	for (size_t i = 0; i < causal->count; i++) {
		const struct causal_target *target = &causal->targets[i];
		if (target->target->kind != TARGET_SET || !target->count)
			continue;
		struct interaction found = interaction_of(recording, causal, target,
							  &target->effects[0], SET_SEARCH_SPEEDUP);
		is_confirmed =
			found.kind == INTERACTION_ONLY_TOGETHER || found.kind == INTERACTION_MORE;
	}
	causal_free(causal);
	recording_free(recording);
	searching->seconds += seconds;
	return is_confirmed;
}

/* ---- the table ---- */

static void count(struct row *row, const struct truth *truth, const struct searching *searching,
		  bool is_named)
{
	const struct planted *planted = truth->planted;
	double wanted = planted->members ? true_excess(truth, &planted->set) : 0;
	double excess = is_named ? true_excess(truth, &searching->found) : 0;
	bool is_planted = wanted >= EXCESS_LEAST;
	bool is_hit = is_named && is_planted && excess >= KEPT_LEAST * wanted &&
		      searching->found_members <= planted->members;

	row->planted += is_planted;
	row->found += is_hit;
	row->missed += is_planted && !is_hit;
	row->false_sets += is_named && excess < EXCESS_LEAST / 2;
	row->late += is_hit && searching->seconds > planted->seconds_most;
}

static void program_run(const struct choices *choices, size_t kind, uint64_t seed, struct row *row)
{
	static struct machine machine;
	static struct planted planted;
	static const double speedups[] = {0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5,
					  0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1};
	struct random random = random_seeded(seed * 2147483629 + kind);

	memset(&planted, 0, sizeof(planted));
	planted.cores = 2;
	planted.seconds_most = 90;
	snprintf(planted.program.name, sizeof(planted.program.name), "%s", kinds[kind].name);
	kinds[kind].build(&planted, &random);
	struct session_settings settings = {.experiment = experiment_usual(planted.cores,
									   choices->engine, seed),
					    .drift = drift_named(choices->machine),
					    .seed = seed,
					    .speedups = speedups,
					    .speedup_count = sizeof(speedups) / sizeof(*speedups)};
	struct session_set none = {0};
	struct truth truth = {.machine = &machine, .planted = &planted, .settings = &settings};
	truth.usual_ns = session_set_period(&machine, &planted.program, &none, &settings, 0);
	struct searching searching = {.machine = &machine,
				      .program = planted.program,
				      .drift = drift_start(settings.drift, seed),
				      .settings = &settings};
	bool is_guess = search_run(&searching, planted.seconds_most);
	double search_seconds = searching.seconds;
	bool is_named = is_guess && is_confirmed(&searching, &planted);
	row->programs++;
	row->guessed += is_guess;
	row->seconds += searching.seconds;
	row->windows += searching.windows;
	row->longest = fmax(row->longest, searching.seconds);
	count(row, &truth, &searching, is_named);
	if (!choices->lists)
		return;
	printf("%-12s seed %-4llu searched %5.1f s, %s:", planted.program.name,
	       (unsigned long long)seed, search_seconds,
	       is_named ? "named" :
	       is_guess ? "not confirmed" :
			  "nothing");
	for (uint32_t i = 0; is_guess && i < planted.program.operation_count; i++)
		if (searching.found.has[i])
			printf(" %u%s", i, planted.set.has[i] ? "*" : "");
	if (planted.members)
		printf("; planted excess %.1f", 100 * true_excess(&truth, &planted.set));
	if (is_named)
		printf(", found %.1f", 100 * true_excess(&truth, &searching.found));
	printf("\n");
	fflush(stdout);
}

static void row_print(const struct row *row)
{
	double programs = row->programs ? row->programs : 1;

	printf("%-12s %8u %8u %6u %7u %7u %7u %8.1f %8.1f %8.0f %5u\n", row->name, row->programs,
	       row->planted, row->found, row->missed, row->guessed, row->false_sets,
	       row->seconds / programs, row->longest, row->windows / programs, row->late);
}

static void row_add(struct row *all, const struct row *row)
{
	all->programs += row->programs;
	all->planted += row->planted;
	all->found += row->found;
	all->missed += row->missed;
	all->guessed += row->guessed;
	all->false_sets += row->false_sets;
	all->late += row->late;
	all->seconds += row->seconds;
	all->windows += row->windows;
	all->longest = fmax(all->longest, row->longest);
}

static void options_read(struct choices *choices, int count, char **arguments)
{
	static const struct option options[] = {{"programs", required_argument, NULL, 'n'},
						{"kind", required_argument, NULL, 'k'},
						{"machine", required_argument, NULL, 'm'},
						{"engine", required_argument, NULL, 'e'},
						{"seed", required_argument, NULL, 'i'},
						{"list", no_argument, NULL, 'l'},
						{"least-found", required_argument, NULL, 'f'},
						{"most-false", required_argument, NULL, 'a'},
						{0}};
	int option;

	while ((option = getopt_long(count, arguments, "", options, NULL)) != -1)
		switch (option) {
		case 'n':
			choices->programs = (unsigned)atoi(optarg);
			break;
		case 'k':
			choices->kind = optarg;
			break;
		case 'm':
			choices->machine = optarg;
			break;
		case 'e':
			choices->engine = strcmp(optarg, "kernel") ? ENGINE_RUNTIME : ENGINE_KERNEL;
			break;
		case 'i':
			choices->seed = strtoul(optarg, NULL, 10);
			break;
		case 'l':
			choices->lists = true;
			break;
		case 'f':
			choices->least_found = atof(optarg);
			break;
		case 'a':
			choices->most_false = atof(optarg);
			break;
		default:
			fputs(usage, stderr);
			exit(2);
		}
	if (optind < count || !drift_named(choices->machine)) {
		fputs(usage, stderr);
		exit(2);
	}
}

int main(int count, char **arguments)
{
	struct choices choices = {.machine = "calm",
				  .engine = ENGINE_KERNEL,
				  .programs = 40,
				  .seed = 1,
				  .most_false = 100};
	struct row rows[KINDS], all = {.name = "all"};
	unsigned asked = 0;

	options_read(&choices, count, arguments);
	for (size_t i = 0; i < KINDS; i++) {
		rows[i] = (struct row){.name = kinds[i].name};
		asked += !choices.kind || !strcmp(choices.kind, kinds[i].name);
	}
	for (unsigned i = 0; asked && i < choices.programs;)
		for (size_t kind = 0; kind < KINDS && i < choices.programs; kind++)
			if (!choices.kind || !strcmp(choices.kind, kinds[kind].name))
				program_run(&choices, kind, choices.seed + i++, &rows[kind]);
	printf("%-12s %8s %8s %6s %7s %7s %7s %8s %8s %8s %5s\n", "", "programs", "with set",
	       "found", "missed", "guesses", "false", "seconds", "longest", "windows", "late");
	for (size_t i = 0; i < KINDS; i++) {
		if (rows[i].programs)
			row_print(&rows[i]);
		row_add(&all, &rows[i]);
	}
	row_print(&all);
	return 100.0 * all.found < choices.least_found * all.planted ||
	       100.0 * all.false_sets > choices.most_false * all.programs;
}
