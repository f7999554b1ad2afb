// SPDX-License-Identifier: BSD-2-Clause
/* session - the control flow of src/experiment/session on a simulated machine. */
#include "session.h"

#include "base/text.h"
#include "experiment/live_estimate.h"
#include "experiment/sampling_rate.h"
#include "experiment/schedule.h"
#include "experiment/series_length.h"
#include "experiment/window_end.h"

#include <math.h>
#include <stdlib.h>

#define WINDOW_FIRST_NS 82000000ull /* as setup.c of the session */
#define WINDOW_LONGEST_NS 10000000000ull
#define LEAD_IN_SHARE 8
#define LEAD_IN_LEAST_NS 10000000ull
#define BETWEEN_NS 2000000ull /* names, files: nothing is measured */
#define TRUTH_WARM_UP_NS 1000000000ull
#define TRUTH_WINDOW_NS 40000000000ull
#define POINT_ID 1

struct simulated {
	struct machine *machine;
	struct program program; /* whose targets change */
	const struct session_targets *targets;
	const struct session_settings *settings;
	struct drift drift;
	struct recording *recording;
	struct recording_run *run;
	struct schedule *schedule;
	struct live_estimate *live_estimate;
	struct sampling_rate sampling_rate;
	uint64_t window_ns, end_ns;
	unsigned series[SESSION_TARGETS_MOST][2];
	/* By target: its samples, all samples in its windows; its samples and time at speedup 0. */
	uint64_t target_ns[SESSION_TARGETS_MOST], own_ns[SESSION_TARGETS_MOST];
	uint64_t baseline_ns[SESSION_TARGETS_MOST], observed_ns[SESSION_TARGETS_MOST];
};

struct session_targets session_one_target(const struct program *program)
{
	struct session_targets targets = {0};

	for (uint32_t i = 0; i < program->operation_count; i++)
		if (program->operations[i].is_target && !targets.count)
			targets = (struct session_targets){.operations = {i},
							   .weights = {1},
							   .count = 1};
	return targets;
}

struct session_targets session_all_targets(const struct program *program)
{
	struct session_targets targets = {0};

	for (uint32_t i = 0; i < program->role_count; i++) {
		const struct role *role = &program->roles[i];
		for (uint32_t j = role->first; j < role->first + role->count; j++) {
			const struct operation *operation = &program->operations[j];
			if (operation->kind != OPERATION_COMPUTE || role->is_foreign ||
			    targets.count == SESSION_TARGETS_MOST)
				continue;
			targets.operations[targets.count] = j;
			targets.weights[targets.count++] =
				(double)operation->mean_ns * role->threads;
		}
	}
	return targets;
}

static void choose(struct program *program, uint32_t operation)
{
	for (uint32_t i = 0; i < program->operation_count; i++)
		program->operations[i].is_target = i == operation;
}

void session_choose_set(struct program *program, const struct session_set *set)
{
	for (uint32_t i = 0; i < program->operation_count; i++)
		program->operations[i].is_target = set->has[i];
}

/* The members of a set among the other targets. */
static void add_members(struct recording *recording, const struct session_targets *targets,
			size_t index)
{
	for (size_t i = 0; i < targets->count; i++)
		if (!targets->sets[i] && targets->sets[index]->has[targets->operations[i]])
			*array_add(&recording->members) = (struct recording_member){
				.target_id = (int64_t)index + 1,
				.kind = TARGET_LINE,
				.name = text_format("operation:%u", targets->operations[i]),
				.level = 1};
}

static void recording_start(struct simulated *simulated)
{
	struct recording *recording = memory_new(1, sizeof(*recording));
	const struct engine_settings *engine = &simulated->settings->experiment.engine;
	bool is_kernel = engine->kind == ENGINE_KERNEL;

	simulated->recording = recording;
	struct recording_run *run = array_add(&recording->runs);
	*run = (struct recording_run){.id = 1,
				      .engine = text_copy(is_kernel ? "kernel" : "runtime"),
				      .period_ns = engine->period_ns,
				      .seed = simulated->settings->seed,
				      .kind = RUN_CAUSAL,
				      .finished = true};
	simulated->run = run;
	*array_add(&recording->points) = (struct recording_point){.id = POINT_ID,
								  .kind = POINT_THROUGHPUT,
								  .name = text_copy("unit")};
	for (size_t i = 0; i < simulated->targets->count; i++) {
		bool is_set = simulated->targets->sets[i];
		*array_add(&recording->targets) = (struct recording_target){
			.id = (int64_t)i + 1,
			.kind = is_set ? TARGET_SET : TARGET_LINE,
			.name = text_format(is_set ? "set:%u" : "operation:%u",
					    simulated->targets->operations[i])};
		if (is_set)
			add_members(recording, simulated->targets, i);
	}
}

static void recording_end(struct simulated *simulated)
{
	struct recording_run *run = simulated->run;

	for (size_t i = 0; i < simulated->targets->count; i++) {
		/* The target's share is known while it is armed, and holds for the run. */
		double own_ns = (double)simulated->own_ns[i];
		double share = own_ns > 0 ? (double)simulated->target_ns[i] / own_ns : 0;
		double part = simulated->observed_ns[i] ?
				      (double)simulated->baseline_ns[i] /
					      (double)simulated->observed_ns[i] :
				      0;
		*array_add(&simulated->recording->samples) = (struct recording_sample){
			.run_id = 1,
			.target_id = (int64_t)i + 1,
			.sampled_ns = (uint64_t)(share * (double)run->sampled_ns),
			.baseline_sampled_ns = (uint64_t)(part * (double)run->baseline_ns)};
	}
	run->samples = run->sampled_ns / run->period_ns;
	run->wall_ns = simulated->settings->length_ns;
}

/* What progress_visits_collect makes of the machine's counters. */
static struct recording_visit visit_of(const struct machine *machine)
{
	return (struct recording_visit){.point_id = POINT_ID,
					.visits = (double)machine->visits - 1,
					.duration_ns =
						machine->last_visit_ns - machine->first_visit_ns,
					.delay_ns =
						machine->last_delay_ns - machine->first_delay_ns};
}

static bool is_over(const struct simulated *simulated)
{
	return simulated->machine->now_ns >= simulated->end_ns;
}

static void add_window(struct simulated *simulated, const struct schedule_plan *plan,
		       const struct recording_experiment *window)
{
	struct machine *machine = simulated->machine;
	struct recording_experiment *added = array_add(&simulated->recording->experiments);

	*added = *window;
	added->id = (int64_t)simulated->recording->experiments.count;
	simulated->target_ns[plan->target] += window->target_ns;
	simulated->own_ns[plan->target] += window->sampled_ns;
	simulated->run->sampled_ns += window->sampled_ns;
	if (!(plan->speedup > 0)) {
		simulated->baseline_ns[plan->target] += window->target_ns;
		simulated->observed_ns[plan->target] += window->duration_ns;
		simulated->run->baseline_ns += window->duration_ns;
	}
	double visits = fmax((double)machine->visits - 1, 0);
	if (visits < window_end_visits_least(window->duration_ns)) {
		added->verdict = VERDICT_TOO_FEW_VISITS;
		if (window->delay_ns < window->duration_ns / 2 &&
		    simulated->window_ns < WINDOW_LONGEST_NS)
			simulated->window_ns *= 2;
		return;
	}
	struct recording_visit visit = visit_of(machine);
	*array_add(&added->visits) = visit;
	live_estimate_add(simulated->live_estimate, added,
			  simulated->recording->points.items[0].kind, false, &visit);
}

/* What stood at the begin of a window. */
struct begin {
	uint64_t ns, delay_ns, hit_ns, sampled_ns;
};

static void add_mark(const struct simulated *simulated, const struct begin *begin, unsigned number,
		     struct recording_experiment *window)
{
	const struct machine *machine = simulated->machine;

	if (machine->visits < 2)
		return;
	struct recording_visit visit = visit_of(machine);
	*array_add(&window->marks) =
		(struct recording_mark){.point_id = POINT_ID,
					.number = number,
					.visits = visit.visits,
					.duration_ns = visit.duration_ns,
					.delay_ns = visit.delay_ns,
					.elapsed_ns = machine->now_ns - begin->ns,
					.sampled_ns =
						machine->engine.sampled_ns - begin->sampled_ns};
}

static struct window_progress progress_of(const struct machine *machine, const struct begin *begin)
{
	return (struct window_progress){
		.elapsed_ns = machine->now_ns - begin->ns,
		.visits = machine->visits > 1 ? (double)machine->visits - 1 : 0,
		.duration_ns = machine->last_visit_ns - machine->first_visit_ns};
}

/* As session_wait_marks. */
static void run_parts(struct simulated *simulated, const struct begin *begin, uint64_t length_ns,
		      struct recording_experiment *window)
{
	struct machine *machine = simulated->machine;

	for (unsigned number = 1; number <= RECORDING_PARTS; number++) {
		uint64_t end_ns = begin->ns + number * length_ns / RECORDING_PARTS;
		drift_run(&simulated->drift, machine, end_ns - machine->now_ns);
		if (number < RECORDING_PARTS)
			add_mark(simulated, begin, number, window);
	}
	struct window_progress planned = progress_of(machine, begin);
	struct window_progress before = planned, now = planned;
	uint64_t wait_ns;
	while ((wait_ns = window_end_wait_ns(&planned, &before, &now))) {
		drift_run(&simulated->drift, machine, wait_ns);
		before = now;
		now = progress_of(machine, begin);
	}
}

static void take_window(struct simulated *simulated, const struct schedule_plan *plan, int index)
{
	struct machine *machine = simulated->machine;
	double factor = schedule_jitter(simulated->schedule);
	struct recording_experiment window = {.run_id = 1,
					      .target_id = (int64_t)plan->target + 1,
					      .speedup = plan->speedup,
					      .series_index = index,
					      .verdict = VERDICT_COUNTED};

	machine_begin_window(machine);
	engine_take_load(machine, plan->speedup);
	struct begin begin = {machine->now_ns, engine_delay(machine), machine->engine.hit_ns,
			      machine->engine.sampled_ns};
	run_parts(simulated, &begin, (uint64_t)(factor * (double)simulated->window_ns), &window);
	window.start_ns = begin.ns;
	window.duration_ns = machine->now_ns - begin.ns;
	window.delay_ns = engine_delay(machine) - begin.delay_ns;
	window.target_ns = machine->engine.hit_ns - begin.hit_ns;
	window.sampled_ns = machine->engine.sampled_ns - begin.sampled_ns;
	struct sampling_rate_window load = engine_take_load(machine, plan->speedup);
	sampling_rate_update(&simulated->sampling_rate, &load);
	add_window(simulated, plan, &window);
}

static void run_series(struct simulated *simulated, const struct schedule_plan *plan)
{
	struct machine *machine = simulated->machine;
	const struct experiment_settings *settings = &simulated->settings->experiment;
	bool is_undecided;
	unsigned level =
		live_estimate_warm_up_level(simulated->live_estimate, (int64_t)plan->target + 1,
					    plan->speedup, &is_undecided);
	unsigned number = simulated->series[plan->target][plan->speedup > 0]++;
	unsigned count = is_undecided && level && plan->speedup > 0 ?
				 series_length_longest(simulated->window_ns) :
				 series_length(number, level, simulated->window_ns);
	uint64_t lead_in_ns = simulated->window_ns / LEAD_IN_SHARE;
	uint64_t period_ns =
		sampling_rate_period_ns(&simulated->sampling_rate, plan->speedup,
					settings->engine.period_ns, settings->densest_ns);

	if (simulated->targets->sets[plan->target])
		session_choose_set(&simulated->program, simulated->targets->sets[plan->target]);
	else
		choose(&simulated->program, simulated->targets->operations[plan->target]);
	engine_set_period(machine,
			  (uint32_t)(schedule_jitter(simulated->schedule) * (double)period_ns));
	engine_set_speedup(machine, plan->speedup);
	drift_run(&simulated->drift, machine,
		  lead_in_ns > LEAD_IN_LEAST_NS ? lead_in_ns : LEAD_IN_LEAST_NS);
	for (unsigned i = 0; i < count && !is_over(simulated); i++)
		take_window(simulated, plan, (int)i);
	engine_set_speedup(machine, 0);
	drift_run(&simulated->drift, machine, BETWEEN_NS);
}

struct recording *session_simulate(struct machine *machine, const struct program *program,
				   const struct session_targets *targets,
				   const struct session_settings *settings)
{
	struct simulated simulated = {.machine = machine,
				      .program = *program,
				      .targets = targets,
				      .settings = settings,
				      .drift = drift_start(settings->drift, settings->seed),
				      .window_ns = WINDOW_FIRST_NS};
	struct schedule_plan plan;

	recording_start(&simulated);
	simulated.schedule =
		schedule_new(settings->seed, settings->speedups, settings->speedup_count);
	simulated.live_estimate = live_estimate_new();
	machine_start(machine, &settings->experiment.machine, &settings->experiment.engine,
		      &simulated.program);
	drift_run(&simulated.drift, machine, settings->experiment.warm_up_ns);
	simulated.end_ns = machine->now_ns + settings->length_ns;
	while (!is_over(&simulated) &&
	       schedule_next(simulated.schedule, targets->weights, targets->count, &plan))
		run_series(&simulated, &plan);
	recording_end(&simulated);
	live_estimate_free(simulated.live_estimate);
	schedule_free(simulated.schedule);
	return simulated.recording;
}

/* The time between two visits if the operation is shorter by `cut`; 0 with too few visits. */
static double true_period(struct machine *machine, const struct program *program,
			  const struct session_settings *settings, double cut)
{
	const struct engine_settings none = {.kind = ENGINE_NONE};
	struct drift drift = drift_start(settings->drift, settings->seed);

	machine_start(machine, &settings->experiment.machine, &none, program);
	machine->target_left = 1 - cut;
	drift_run(&drift, machine, TRUTH_WARM_UP_NS);
	machine_begin_window(machine);
	drift_run(&drift, machine, TRUTH_WINDOW_NS);
	return machine->visits > 1 ? (double)(machine->last_visit_ns - machine->first_visit_ns) /
					     ((double)machine->visits - 1) :
				     0;
}

double session_set_period(struct machine *machine, const struct program *program,
			  const struct session_set *set, const struct session_settings *settings,
			  double cut)
{
	struct program chosen = *program;

	session_choose_set(&chosen, set);
	return true_period(machine, &chosen, settings, cut);
}

bool session_truth(struct machine *machine, const struct program *program, uint32_t operation,
		   const struct session_settings *settings, double gains[EXPERIMENT_CUTS])
{
	struct program chosen = *program;

	choose(&chosen, operation);
	double usual = true_period(machine, &chosen, settings, 0);
	for (int i = 0; i < EXPERIMENT_CUTS && usual > 0; i++) {
		double cut = (i + 1) / (double)EXPERIMENT_CUTS;
		gains[i] = 1 - true_period(machine, &chosen, settings, cut) / usual;
	}
	return usual > 0;
}
