/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session - starts the program under the collector, runs windows until it is time to stop, and
 * leaves a complete profile whatever happens.
 */
#include "experiment/session_state.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "experiment/interruption.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#define WINDOW_FIRST_NS 82000000ull
#define LOOK_NS 50000000ull        /* between looks while there is no target yet */
#define WAIT_SLICE_NS 100000000ull /* heartbeats are at least this often */
#define COMMIT_EVERY_NS 1000000000ull
#define NOTIFY_EVERY_NS 500000000ull
#define SAY_AFTER_NS 1000000000ull  /* a program that ends by itself needs no word */
#define JUDGE_EVERY_NS 500000000ull /* estimating costs time that the program could have */
#define ENVIRONMENT_MOST 4          /* entries that an engine may want */
#define SAMPLES_FOR_TARGET 3        /* fewer: the place is not worth a block */

void session_prepare_signals(void)
{
	program_remember_signals();
}

bool session_is_interrupted(void)
{
	return interruption_count() || interruption_terminations();
}

/* ---- the program's processes ---- */

static void on_process(void *context, const struct kernel_process_event *event)
{
	struct session *session = context;

	session_processes_on_process(session, event);
	if (event->kind == KERNEL_EVENT_FORK)
		*array_add(&session->processes) = event->tgid;
	if (event->kind != KERNEL_EVENT_EXIT)
		return;
	for (size_t i = 0; i < session->processes.count; i++)
		if (session->processes.items[i] == event->tgid)
			session->processes.items[i--] =
				session->processes.items[--session->processes.count];
}

static void on_sample(void *context, const struct wire_sample *sample)
{
	sampled_code_on_sample(((struct session *)context)->code, sample);
}

static void on_name(void *context, const struct kernel_name_event *event)
{
	session_processes_on_name(context, event);
}

static void on_object(void *context, const struct kernel_object_event *event)
{
	sampled_code_on_object(((struct session *)context)->code, event);
}

static bool any_left_behind(const struct session *session)
{
	for (size_t i = 0; i < session->processes.count; i++)
		if (!kill((pid_t)session->processes.items[i], 0))
			return true;
	return false;
}

bool session_program_runs(struct session *session)
{
	bool had_ended = session->program.has_ended;

	if (!session->options->arguments)
		return session_processes_live(session);
	if (!program_poll(&session->program))
		return true;
	/* A process that outlives it may have been announced, and not yet been heard of. */
	if (!had_ended)
		collector_drain(session->collector, &session->handler);
	if (!any_left_behind(session))
		return false;
	session->program.ended_ns = clock_now_ns(); /* so far */
	return true;
}

/* ---- waiting ---- */

bool session_wait(struct session *session, uint64_t duration_ns)
{
	uint64_t end = clock_now_ns() + duration_ns;

	for (;;) {
		uint64_t now = clock_now_ns();
		collector_heartbeat(session->collector);
		if (session_is_interrupted() || !session_program_runs(session))
			return false;
		if (now >= end)
			return true;
		uint64_t slice = end - now < WAIT_SLICE_NS ? end - now : WAIT_SLICE_NS;
		struct timespec timeout = {.tv_nsec = (long)slice};
		struct pollfd wake[2] = {
			{.fd = collector_descriptor(session->collector), .events = POLLIN},
			{.fd = session->program.has_ended ? -1 : session->program.pidfd,
			 .events = POLLIN},
		};
		if (ppoll(wake, 2, &timeout, NULL) > 0 && wake[0].revents)
			collector_drain(session->collector, &session->handler);
	}
}

/* ---- learning ---- */

int session_update(struct session *session, struct error *error)
{
	collector_drain(session->collector, &session->handler);
	session_processes_refresh(session);
	int code = sampled_code_update_scope(session->code, error);
	code = code ? code : session_retry_names(session, error);
	code = code ? code : progress_points_update(session->points, session->profile, error);
	uint64_t now = clock_now_ns();
	if (!code && now - session->committed_ns > COMMIT_EVERY_NS) {
		session->committed_ns = now;
		code = session_write_samples(session, error);
		code = code ? code : profile_commit(session->profile, error);
	}
	if (now - session->notified_ns > NOTIFY_EVERY_NS) {
		session->notified_ns = now;
		session_notify(session);
	}
	return code;
}

size_t session_target_of(struct session *session, uint32_t place)
{
	for (size_t i = 0; i < session->targets.count; i++)
		if (session->targets.items[i].what.place == place)
			return i;
	array_add(&session->targets)->what = (struct target_code){.place = place, .code = place};
	return session->targets.count - 1;
}

static int write_outside(struct session *session, struct session_target *target,
			 struct error *error)
{
	struct recording_target row = {.kind = TARGET_EXTERNAL,
				       .name = (char *)(uintptr_t) "outside"};
	int code = profile_add_target(session->profile, &row, error);

	target->id = row.id;
	return code;
}

int session_write_target(struct session *session, struct session_target *target,
			 struct error *error)
{
	if (target->id)
		return 0;
	if (target->is_external)
		return write_outside(session, target, error);
	const struct symbols_location *place =
		symbols_location(session->symbols, target->what.place);
	const struct symbols_object *object = symbols_object(session->symbols, place->object);
	bool is_code = place->kind == TARGET_LINE || place->kind == TARGET_FUNCTION;
	struct recording_target row = {
		.kind = place->kind,
		.name = (char *)(uintptr_t)place->name,
		.function = (char *)(uintptr_t)place->function,
		.file = (char *)(uintptr_t)place->file,
		.line = place->line,
		.object = is_code ? (char *)(uintptr_t)object->path : NULL,
		.build_id = is_code ? (char *)(uintptr_t)object->build_id : NULL,
	};

	int code = profile_add_target(session->profile, &row, error);
	target->id = row.id;
	return code;
}

bool session_has_given_targets(const struct session *session)
{
	return session->options->target_count || session->options->classes;
}

double *session_weights(struct session *session)
{
	size_t count;
	const struct sampled_location *places = sampled_code_locations(session->code, &count);

	bool is_given = session_has_given_targets(session);

	if (!is_given)
		for (size_t place = 0; place < count; place++)
			if (places[place].samples >= SAMPLES_FOR_TARGET)
				session_target_of(session, (uint32_t)place);
	double *weights = memory_new(session->targets.count + 1, sizeof(*weights));
	for (size_t i = 0; i < session->targets.count; i++) {
		const struct session_target *target = &session->targets.items[i];
		if (target->is_unusable || target->is_external || (is_given && !target->is_given))
			continue;
		weights[i] = target->is_given           ? 1 :
			     target->what.place < count ? places[target->what.place].recent_ns :
							  0;
	}
	sampled_code_age(session->code);
	session_draw_external(session, weights);
	return weights;
}

int session_write_samples(struct session *session, struct error *error)
{
	size_t count;
	const struct sampled_location *places = sampled_code_locations(session->code, &count);

	for (size_t place = 0; place < count; place++) {
		if (!places[place].samples)
			continue;
		size_t index = session_target_of(session, (uint32_t)place); /* may move items */
		struct session_target *target = &session->targets.items[index];
		int code = session_write_target(session, target, error);
		struct recording_sample row = {
			.run_id = session->run.id,
			.target_id = target->id,
			.samples = places[place].samples,
			.sampled_ns = places[place].sampled_ns,
			.baseline_sampled_ns = places[place].baseline_sampled_ns,
		};
		code = code ? code : profile_set_sample(session->profile, &row, error);
		if (code)
			return code;
	}
	int failed = session_write_kernel_callers(session, error);
	return failed ? failed :
			progress_points_write_totals(session->points, session->profile,
						     session->run.id, error);
}

void session_notify(struct session *session)
{
	struct session_status status = {
		.experiments = session->experiments,
		.discarded = session->discarded,
		.targets = live_estimate_targets(session->live_estimate),
		.elapsed_seconds = (double)(clock_now_ns() - session->started_ns) / 1e9,
		.left_seconds = -1,
	};
	struct live_estimate_best best;

	if (session->deadline_ns)
		status.left_seconds = ((double)session->deadline_ns - (double)clock_now_ns()) / 1e9;
	if (live_estimate_best(session->live_estimate, &best)) {
		for (size_t i = 0; i < session->targets.count; i++)
			if (session->targets.items[i].id == best.target_id)
				status.best = symbols_location(session->symbols,
							       session->targets.items[i].what.place)
						      ->name;
		status.best_gain = best.at_quarter.gain;
		status.best_low = best.at_quarter.low;
		status.best_high = best.at_quarter.high;
	}
	session->options->notify(session->options->context, &status);
}

/* ---- setting up ---- */

static int open_symbols(struct session *session, struct error *error)
{
	const struct session_options *options = session->options;
	uint32_t object;
	int code = 0;

	session->symbols = symbols_new(options->granularity, options->scope);
	if (!options->arguments)
		return 0;
	session->program_path = program_find(options->arguments[0], &code, error);
	if (!session->program_path) {
		session->result->end = SESSION_NOT_STARTED;
		session->result->exit_code = program_exec_status(code);
		return code;
	}
	AUTO(text) char *real = realpath(session->program_path, NULL);
	/* A script is no object: what it runs is announced later. */
	symbols_add_object(session->symbols, real ? real : session->program_path, NULL, true,
			   &object, NULL);
	return 0;
}

static int begin_run(struct session *session, struct error *error)
{
	static struct utsname host; /* borrowed by the run until its end */
	const struct collector_facts *facts = collector_facts(session->collector);
	struct recording_run *run = &session->run;

	uname(&host);
	run->command = session->options->arguments ?
			       recording_command(session->options->arguments) :
			       session_processes_command(session);
	run->engine = (char *)(uintptr_t)collector_engine(session->collector);
	run->host = host.nodename;
	run->kernel = host.release;
	run->version = (char *)(uintptr_t)session->options->version;
	run->granularity = (char *)(uintptr_t)target_kind_name(session->options->granularity);
	run->started_s = time(NULL);
	run->seed = session->options->seed;
	run->period_ns = facts->period_ns;
	run->interrupt_share = facts->interrupt_share;
	run->exit_status = -1;
	int code = profile_add_run(session->profile, run, error);
	return code ? code : profile_commit(session->profile, error);
}

static int set_up(struct session *session, struct error *error)
{
	const struct session_options *options = session->options;
	struct collector_options collector = {.engine = options->engine,
					      .runtime_library = options->runtime_library,
					      .period_ns = options->period_ns,
					      .counts_waits = options->off_cpu,
					      .verbose = options->verbose};
	int code = open_symbols(session, error);

	code = code ? code : collector_open(&collector, &session->collector, error);
	if (!code && session->program_path)
		code = collector_check_program(session->collector, session->program_path, error);
	if (code)
		return code;
	session->code = sampled_code_new(session->symbols, session->collector);
	session->points = progress_points_new(session->collector, session->code, session->symbols);
	code = session_processes_open(session, error);
	code = code ? code : session_enable_target_kinds(session, error);
	if (!options->arguments)
		code = code ? code : session_processes_follow(session, error);
	code = code ? code : session_resolve_names(session, error);
	code = code ? code :
		      profile_create(options->output, options->fresh, &session->profile, error);
	code = code ? code : begin_run(session, error);
	code = code ? code : sampled_code_update_scope(session->code, error);
	session->schedule = schedule_new(options->seed, options->speedups, options->speedup_count);
	collector_charge_ticks(session->collector, schedule_has_speedups(session->schedule));
	session->live_estimate = live_estimate_new();
	session->window_ns = options->window_ns ? options->window_ns : WINDOW_FIRST_NS;
	session->handler = (struct collector_handler){.context = session,
						      .sample = on_sample,
						      .object = on_object,
						      .process = on_process,
						      .name = on_name};
	return code;
}

/* ---- running ---- */

static bool wants_points_library(struct session *session)
{
	/* The runtime engine's library serves coz.h, too. */
	if (!session->options->points_library ||
	    strcmp(collector_engine(session->collector), "kernel"))
		return false;
	for (uint32_t i = 0; i < symbols_object_count(session->symbols); i++)
		if (symbols_references(session->symbols, i, "_coz_get_counter"))
			return true;
	return false;
}

static void begin_time(struct session *session)
{
	if (session->started_ns)
		return; /* not the first run */
	session->started_ns = clock_now_ns();
	overhead_start(&session->cost, NULL);
	if (session->options->seconds > 0)
		session->deadline_ns =
			session->started_ns + (uint64_t)(session->options->seconds * 1e9);
}

int session_start_program(struct session *session, struct error *error)
{
	const struct session_options *options = session->options;
	const char *environment[ENVIRONMENT_MOST + 3] = {
		session->listens_to_spans ? "LEVER_LISTEN=5" : "LEVER_LISTEN=1"};
	const char *const *of_engine = collector_environment(session->collector);
	AUTO(text) char *preload = NULL;

	if (wants_points_library(session)) {
		const char *old = getenv("LD_PRELOAD");
		preload = text_format("LD_PRELOAD=%s%s%s", options->points_library,
				      old && *old ? ":" : "", old ? old : "");
		environment[1] = preload;
	}
	for (size_t i = 0; of_engine[i] && i < ENVIRONMENT_MOST; i++)
		environment[(preload ? 2 : 1) + i] = of_engine[i];
	int code = program_prepare(&session->program, options->arguments, environment, error);
	code = code ? code : collector_add_task(session->collector, session->program.pidfd, error);
	code = code ? code : collector_start(session->collector, error);
	if (code)
		return code;
	interruption_catch();
	code = program_start(&session->program, options->arguments[0], error);
	if (code) {
		session->result->end = SESSION_NOT_STARTED;
		session->result->exit_code = program_exec_status(code);
		return code;
	}
	begin_time(session);
	return 0;
}

/* Processes that run already. */
static int start_beside(struct session *session, struct error *error)
{
	int code = collector_start(session->collector, error);

	if (code)
		return code;
	interruption_catch();
	session->program.started_ns = clock_now_ns();
	begin_time(session);
	return 0;
}

bool session_is_precise_enough(struct session *session)
{
	struct live_estimate_best best;
	size_t steps = 0;

	uint64_t now = clock_now_ns();
	if (session->options->until <= 0 || session->experiments < 8 ||
	    now - session->judged_ns < JUDGE_EVERY_NS)
		return false;
	session->judged_ns = now;
	for (size_t i = 0; i < session->options->speedup_count; i++)
		steps += session->options->speedups[i] > 0;
	return live_estimate_best(session->live_estimate, &best) && best.points > steps &&
	       best.widest <= session->options->until;
}

bool session_is_over_time(const struct session *session)
{
	return session->deadline_ns && clock_now_ns() >= session->deadline_ns;
}

/* Time without a window: samples come in, so that there is something to draw from. */
static int look(struct session *session, struct error *error)
{
	session_wait(session, LOOK_NS);
	return session_update(session, error);
}

static int run_windows(struct session *session, struct error *error)
{
	struct schedule_plan plan;
	int code = 0;

	while (!code && session_program_runs(session) && !session_is_interrupted() &&
	       !session_is_over_time(session) && !session_is_precise_enough(session)) {
		if (!progress_points_visited(session->points)) {
			code = look(session, error);
			code = code ? code : session_check_names(session, false, error);
			continue;
		}
		double *weights = session_weights(session);
		bool has_plan =
			schedule_next(session->schedule, weights, session->targets.count, &plan);
		free(weights);
		code = has_plan ? session_run_series(session, &plan, error) : look(session, error);
		if (!code && !has_plan)
			code = session_check_names(session, false, error);
		if (code == -EAGAIN)
			code = 0;
	}
	return code;
}

/* After the last window the program runs on at full speed; a second Ctrl-C leaves it alone. */
static void wait_for_program(struct session *session)
{
	bool has_forwarded = false, has_said = false;
	uint64_t over_ns = clock_now_ns();

	session->over_ns = over_ns;
	collector_disarm(session->collector);
	while (session->options->arguments && session_program_runs(session) &&
	       interruption_count() < 2) {
		if (interruption_terminations() && !has_forwarded && !session->program.has_ended)
			syscall(SYS_pidfd_send_signal, session->program.pidfd, SIGTERM, NULL, 0);
		has_forwarded = has_forwarded || interruption_terminations();
		if (session->program.has_ended && session_is_interrupted())
			break; /* only processes that it left behind */
		if (!has_said && !session_is_interrupted() &&
		    clock_now_ns() - over_ns > SAY_AFTER_NS) {
			session->options->say(session->options->context,
					      "measuring is over; the program runs on without "
					      "pauses (Ctrl-C to end it)");
			has_said = true;
		}
		struct pollfd wake = {.fd = session->program.has_ended ? -1 :
									 session->program.pidfd,
				      .events = POLLIN};
		poll(&wake, 1, 100);
		collector_drain(session->collector, &session->handler);
	}
}

static void add_sentence(char **text, const char *sentence)
{
	if (!sentence)
		return;
	char *longer = text_format("%s%s%s", *text ? *text : "", *text ? "\n" : "", sentence);
	free(*text);
	*text = longer;
}

/* Warnings for the reader of the report; to be freed. */
static char *make_note(struct session *session)
{
	AUTO(text) char *of_engine = collector_note(session->collector);
	AUTO(text)
	char *of_pace = sampling_rate_warning(&session->sampling_rate, session->run.period_ns);
	char *note = NULL;

	if (session->displacement_accepted > 0.05)
		note = text_format(
			"other programs, or the hypervisor, disturbed the machine: windows with up "
			"to %.0f %% of their time lost were used",
			100 * session->displacement_accepted);
	add_sentence(&note, of_pace);
	add_sentence(&note, of_engine);
	add_sentence(&note, sampled_code_warnings(session->code));
	return note;
}

/* Of the run's time: when samples were taken, which shares and phases are told by. */
static uint64_t sampled_time_ns(const struct session *session)
{
	uint64_t start_ns = session->program.started_ns;

	if (collector_samples_when_disarmed(session->collector) || session->over_ns <= start_ns ||
	    session->over_ns - start_ns > session->run.wall_ns)
		return session->run.wall_ns;
	return session->over_ns - start_ns;
}

static void finish_run(struct session *session)
{
	struct recording_run *run = &session->run;
	struct collector_counters counters;

	collector_drain(session->collector, &session->handler);
	collector_counters(session->collector, &counters);
	run->wall_ns = (session->program.ended_ns ? session->program.ended_ns : clock_now_ns()) -
		       session->program.started_ns;
	run->delay_ns = counters.delay_ns;
	run->samples = counters.samples;
	run->sampled_ns = counters.sampled_ns;
	run->paused_ns = counters.spun_ns;
	if (!session->options->period_ns && counters.samples) { /* it has varied: sampling_rate.h */
		const struct collector_facts *facts = collector_facts(session->collector);
		run->period_ns = (counters.sampled_ns - counters.waited_ns) / counters.samples;
		run->interrupt_share = (double)facts->tick_ns / (double)run->period_ns;
	}
	run->lost = counters.lost;
	run->capped = counters.capped;
	run->unwound_badly = counters.unwound_badly;
	run->baseline_ns = session->options->end_to_end ?
				   session->baseline_ns :
				   sampled_time_ns(session) - session->speedup_ns;
	run->exit_status = session->program.has_ended ? session->program.status : -1;
	run->finished = true;
	run->note = make_note(session);
}

/* What ticks took is known from the start; of the rest, pauses are most, and told apart. */
static struct recording_overhead cost_of(struct session *session)
{
	struct recording_overhead cost = {.run_id = session->run.id};

	overhead_end(&session->cost, &cost);
	cost.knows_kernel = true;
	cost.kernel_ns = session->run.samples * collector_facts(session->collector)->tick_ns;
	return cost;
}

static int close_run(struct session *session, int code, struct error *error)
{
	struct error later = {0};

	finish_run(session);
	struct recording_overhead cost = cost_of(session);
	session->result->status = session->run.exit_status;
	session->result->experiments = session->experiments;
	int failed = progress_points_update(session->points, session->profile, &later);
	failed = failed ? failed : session_write_samples(session, &later);
	failed = failed ? failed : profile_update_run(session->profile, &session->run, &later);
	failed = failed ? failed : profile_set_overhead(session->profile, &cost, &later);
	failed = failed ? failed : profile_commit(session->profile, &later);
	if (failed && !code)
		*error = later;
	return code ? code : failed;
}

static void tear_down(struct session *session)
{
	session_processes_close(session);
	collector_close(session->collector);
	program_release(&session->program);
	profile_close(session->profile);
	progress_points_free(session->points);
	sampled_code_free(session->code);
	symbols_free(session->symbols);
	schedule_free(session->schedule);
	live_estimate_free(session->live_estimate);
	array_free(&session->targets);
	array_free(&session->processes);
	array_free(&session->callers);
	array_free(&session->awaited_targets);
	free(session->program_path);
	free(session->run.command);
	free(session->run.note);
}

void session_run(const struct session_options *options, struct session_result *result,
		 struct error *error)
{
	struct session session = {.options = options, .result = result};

	session.program.go = session.program.failure = session.program.pidfd = -1;
	*result = (struct session_result){.end = SESSION_FAILED, .status = -1};
	int code = set_up(&session, error);
	if (!code && options->end_to_end)
		code = session_end_to_end(&session, error);
	else if (!code)
		code = options->arguments ? session_start_program(&session, error) :
					    start_beside(&session, error);
	if (session.started_ns) {
		if (!code && !options->end_to_end)
			code = run_windows(&session, error);
		wait_for_program(&session);
		if (!code && !session.experiments && !session_is_interrupted())
			code = session_check_names(&session, true, error);
		code = close_run(&session, code, error);
		if (!code)
			result->end = session.experiments ? SESSION_ANSWERED : SESSION_NO_ANSWER;
	}
	tear_down(&session);
}
