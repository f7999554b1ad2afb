/* SPDX-License-Identifier: BSD-2-Clause */
/* recordings_causal - made-up programs, and the results of experiments on them. */
#include "recordings_causal.h"

#include "base/cleanup.h"

#include <errno.h>
#include <string.h>

#define WINDOW_NS 100000000u
#define WIDE_TARGETS 200
#define POINTS_MOST 3

CLEANUP_DEFINE(profile, struct profile *, profile_close, NULL)

const char *const recordings[] = {"pipeline", "latency", "hostile", "rare", "short",   "markup",
				  "wide",     "kinds",   "found",   "sets", "roadmap", "few"};
const unsigned recordings_count = sizeof(recordings) / sizeof(recordings[0]);

/* Code with a known gain. */
struct made_target {
	struct recording_target target;
	double share;
	double slope[POINTS_MOST]; /* program speedup per unit of speedup */
	double knee;               /* speedup above which the gain stays; 0: none */
	unsigned experiments;      /* at speedups above 0; and as many controls plus one */
};

struct made {
	struct profile *profile;
	struct recording_run run;
	struct recording_point points[POINTS_MOST];
	size_t point_count;
	struct made_target *targets;
	size_t target_count;
	uint64_t now_ns;
	uint64_t state; /* of the random numbers */
	unsigned counted;
};

/* Uniform in 0 ... 1: Knuth's MMIX generator. */
static double uniform(struct made *made)
{
	made->state = made->state * 6364136223846793005u + 1442695040888963407u;
	return (double)(made->state >> 11) / 9007199254740992.0;
}

/* About normal, mean 0, deviation 1. */
static double normal(struct made *made)
{
	double sum = -6;
	for (unsigned i = 0; i < 12; i++)
		sum += uniform(made);
	return sum;
}

static double gain_of(const struct made_target *target, size_t point, double speedup)
{
	double used = target->knee > 0 && speedup > target->knee ? target->knee : speedup;
	return target->slope[point] * used;
}

/* One span in fifty is slow; targets that slow them down lose few of them. */
#define SLOW_NS 30e6
#define SLOW_BUCKET 378
static void add_lengths(struct recording_experiment *experiment, int64_t point_id, double gain)
{
	double spans = gain < 0 ? 10 : 500, slow = spans / 50;
	double credit_ns = gain > 0 ? gain * SLOW_NS : 0;

	*array_add(&experiment->lengths) =
		(struct recording_length){.point_id = point_id,
					  .spans = (uint64_t)(spans - slow),
					  .weight = spans - slow};
	*array_add(&experiment->lengths) = (struct recording_length){
		.point_id = point_id,
		.bucket = SLOW_BUCKET,
		.spans = (uint64_t)slow,
		.weight = slow * 1.05,
		.length_ns = SLOW_NS,
		.credit_ns = credit_ns,
		.credit_squares = credit_ns * credit_ns,
		.credit_cubes = credit_ns * credit_ns * credit_ns,
	};
}

static int add_experiment(struct made *made, const struct made_target *target, double speedup,
			  enum verdict verdict, struct error *error)
{
	/* No gain without a charge. */
	double gain = gain_of(target, 0, speedup), charge = 1.3 * gain / (1 - gain);
	double share = speedup * target->share;
	uint64_t delay_ns = (uint64_t)(WINDOW_NS * (charge > share ? charge : share));
	struct recording_experiment experiment = {
		.run_id = made->run.id,
		.target_id = target->target.id,
		.speedup = speedup,
		.start_ns = made->now_ns,
		.duration_ns = WINDOW_NS + delay_ns,
		.delay_ns = delay_ns,
		.target_ns = (uint64_t)(2 * WINDOW_NS * target->share),
		.sampled_ns = (uint64_t)(2 * WINDOW_NS),
		.verdict = verdict,
	};
	for (size_t i = 0; i < made->point_count; i++) {
		double period = (1 - gain_of(target, i, speedup)) * (1 + 0.01 * normal(made));
		bool is_latency = made->points[i].kind == POINT_LATENCY;
		*array_add(&experiment.visits) = (struct recording_visit){
			.point_id = made->points[i].id,
			.visits = verdict == VERDICT_TOO_FEW_VISITS ? 1 :
				  is_latency                        ? 500 :
								      500 / period,
			.duration_ns = experiment.duration_ns,
			.delay_ns = delay_ns,
			.in_flight = is_latency ? 4 * period : 0,
		};
		if (is_latency)
			add_lengths(&experiment, made->points[i].id, gain_of(target, i, speedup));
	}
	/* Equal work for each visit. */
	if (made->points[0].kind != POINT_LATENCY && verdict == VERDICT_COUNTED)
		experiment.sampled_ns =
			(uint64_t)(2 * WINDOW_NS / 500 * experiment.visits.items[0].visits);
	made->now_ns += experiment.duration_ns + 10000000;
	made->counted += verdict == VERDICT_COUNTED;
	int code = profile_add_experiment(made->profile, &experiment, error);
	array_free(&experiment.visits);
	array_free(&experiment.lengths);
	return code;
}

/* Speedups in steps of 5 %, as the engine draws them. */
static int add_experiments(struct made *made, const struct made_target *target, struct error *error)
{
	int code = 0;
	for (unsigned i = 0; i < target->experiments && !code; i++) {
		double speedup = 0.05 * (1 + (int)(uniform(made) * 20));
		code = add_experiment(made, target, 0, VERDICT_COUNTED, error);
		if (!code)
			code = add_experiment(made, target, speedup, VERDICT_COUNTED, error);
	}
	return code || !target->experiments ?
		       code :
		       add_experiment(made, target, 0, VERDICT_COUNTED, error);
}

static int begin(struct made *made, struct error *error)
{
	made->state = made->run.seed;
	int code = profile_add_run(made->profile, &made->run, error);
	for (size_t i = 0; i < made->point_count && !code; i++)
		code = profile_add_point(made->profile, &made->points[i], error);
	for (size_t i = 0; i < made->target_count && !code; i++)
		code = profile_add_target(made->profile, &made->targets[i].target, error);
	return code;
}

/* The expected sums of the run. */
static int end(struct made *made, struct error *error)
{
	struct recording_run *run = &made->run;
	run->sampled_ns = run->samples * run->period_ns;
	run->paused_ns = run->sampled_ns / 10;
	int code = profile_update_run(made->profile, run, error);
	for (size_t i = 0; i < made->target_count && !code; i++) {
		double share = made->targets[i].share;
		struct recording_sample sample = {
			.run_id = run->id,
			.target_id = made->targets[i].target.id,
			.samples = (uint64_t)((double)run->samples * share),
			.sampled_ns = (uint64_t)((double)run->sampled_ns * share),
			.baseline_sampled_ns = (uint64_t)((double)run->sampled_ns / 2 * share),
		};
		code = profile_set_sample(made->profile, &sample, error);
	}
	for (size_t i = 0; i < made->point_count && !code; i++) {
		struct recording_total total = {run->id, made->points[i].id, made->counted * 500};
		code = profile_set_total(made->profile, &total, error);
	}
	return code;
}

/* Of a program with several processes: visits of the first point. */
static int add_visitors(struct made *made, struct error *error)
{
	uint64_t left = made->counted * 500;
	int code = 0;

	for (unsigned i = 0; i < 9 && !code; i++) {
		struct recording_process_visits visitor = {made->run.id, made->points[0].id,
							   4000 + i,
							   (char *)(i ? "worker" : "server"),
							   left / 3};
		left -= left / 3;
		code = profile_set_process_visits(made->profile, &visitor, error);
	}
	return code;
}

static struct recording_run run_of(const char *command, uint64_t wall_s, uint64_t seed)
{
	return (struct recording_run){
		.command = (char *)command,
		.engine = (char *)"kernel",
		.host = (char *)"build1",
		.kernel = (char *)"6.18.0",
		.version = (char *)"0.1.0",
		.granularity = (char *)"line",
		.started_s = 1700000000,
		.wall_ns = wall_s * 1000000000u,
		.delay_ns = wall_s * 150000000u,
		.seed = seed,
		.period_ns = 250000,
		.interrupt_share = 0.03,
		.samples = wall_s * 8000,
		.lost = 0,
		.baseline_ns = wall_s * 500000000u,
		.exit_status = 0,
		.finished = true,
	};
}

static struct recording_target line_of(const char *file, unsigned line, const char *function)
{
	const char *slash = strrchr(file, '/');
	return (struct recording_target){
		.kind = TARGET_LINE,
		.name = text_format("%s:%u", slash ? slash + 1 : file, line),
		.function = (char *)function,
		.file = (char *)file,
		.line = line,
		.object = (char *)"/usr/bin/pack",
		.build_id = (char *)"8badf00d",
	};
}

static int write_all(struct made *made, struct error *error)
{
	int code = begin(made, error);
	for (size_t i = 0; i < made->target_count && !code; i++)
		code = add_experiments(made, &made->targets[i], error);
	return code ? code : end(made, error);
}

static void free_names(struct made *made)
{
	for (size_t i = 0; i < made->target_count; i++)
		free(made->targets[i].target.name);
}

static int write_pipeline(struct profile *profile, struct error *error)
{
	struct made_target targets[] = {
		{line_of("/src/pack/pipeline.c", 42, "compress_block"), 0.412, {0.48}, 0.6, 60},
		{line_of("/src/pack/pipeline.c", 77, "write_block"), 0.18, {0.11}, 0, 40},
		{line_of("/src/pack/queue.c", 10, "queue_push"), 0.093, {-0.14}, 0, 40},
		{line_of("/src/pack/a/very/deep/path/checksum_of_blocks_with_tables.cc", 1203,
			 "std::vector<pack::block, pack::aligned_allocator<pack::block, "
			 "64>>::emplace_back"
			 "(pack::block const&)"),
		 0.071,
		 {0.002},
		 0,
		 20},
		{line_of("/src/pack/main.c", 8, "main"), 0.02, {0}, 0, 12},
		{line_of("/src/pack/log.c", 99, "log_line"), 0.004, {0}, 0, 0},
	};
	struct made made = {
		.profile = profile,
		.run = run_of("[\"./pack\", \"-T2\", \"big file.tar\"]", 38, 7),
		.points = {{.kind = POINT_THROUGHPUT, .name = (char *)"block"}},
		.point_count = 1,
		.targets = targets,
		.target_count = sizeof(targets) / sizeof(targets[0]),
		.now_ns = 5000000000u,
	};
	int code = write_all(&made, error);
	for (unsigned i = 0; i < 3 && !code; i++)
		code = add_experiment(&made, &targets[i], 0.5, VERDICT_DISPLACED, error);
	if (!code)
		code = add_experiment(&made, &targets[0], 0.5, VERDICT_CUT_SHORT, error);
	free_names(&made);
	return code;
}

static struct recording_target function_of(const char *name, unsigned line)
{
	return (struct recording_target){
		.kind = TARGET_FUNCTION,
		.name = text_copy(name),
		.function = (char *)name,
		.file = (char *)"/src/server/handlers.c",
		.line = line,
		.object = (char *)"/usr/sbin/server",
	};
}

static int write_latency(struct profile *profile, struct error *error)
{
	struct made_target targets[] = {
		{function_of("decode", 120), 0.3, {0.25, 0.4}, 0, 40},
		{function_of("lock_table", 300), 0.2, {-0.002, -0.1}, 0, 40},
		{function_of("render", 15), 0.4, {0, 0.3}, 0, 40},
	};
	for (unsigned run = 0; run < 2; run++) {
		struct made made = {
			.profile = profile,
			.run = run_of("[\"/usr/sbin/server\", \"--port\", \"8080\"]", 150,
				      11 + run),
			.points = {{.kind = POINT_THROUGHPUT, .name = (char *)"request"},
				   {.kind = POINT_LATENCY, .name = (char *)"accept,reply"}},
			.point_count = 2,
			.targets = targets,
			.target_count = sizeof(targets) / sizeof(targets[0]),
			.now_ns = 5000000000u,
		};
		made.run.granularity = (char *)"function";
		made.run.exit_status = run ? 11 : 3 << 8;
		made.run.lost = 20000 * run;
		made.run.note =
			(char *)(run ? "cpu-clock hangs some machines on Linux 6.17.1 to 6.17.6\n"
				       "the program's threads were more than the cores" :
				       "cpu-clock hangs some machines on Linux 6.17.1 to 6.17.6");
		int code = write_all(&made, error);
		code = code ? code : add_visitors(&made, error);
		if (code)
			return code;
	}
	for (unsigned i = 0; i < 3; i++)
		free(targets[i].target.name);
	return 0;
}

static int write_hostile(struct profile *profile, struct error *error)
{
	struct made_target targets[] = {
		{line_of("/src/\033[31mred\a\n\t\x7f.c", 1, "f\xff\xfe\xc0\x80(\"quoted\\\")"),
		 0.5,
		 {0.3},
		 0,
		 20},
		{line_of("/src/\xe2\x80\xaeright-to-left.c", 2, "\xf0\x9f\x90\x98\xf4\x90\x80\x80"),
		 0.25,
		 {0.1},
		 0,
		 20},
		{line_of("/src/\xc2\x9b"
			 "31m.c",
			 3, NULL),
		 0.125,
		 {0.1},
		 0,
		 20},
	};
	struct made made = {
		.profile = profile,
		.run = run_of("[\"./it's\", \"\\u001b[2J\", \"\", \"\\ud83d\\udc18\"]", 0,
			      UINT64_MAX),
		.points = {{.kind = POINT_SAMPLED, .name = (char *)"a\tb\nc=\xff"}},
		.point_count = 1,
		.targets = targets,
		.target_count = sizeof(targets) / sizeof(targets[0]),
		.now_ns = 5000000000u,
	};
	made.run.samples = 9000;
	made.run.lost = 1000;
	made.run.unwound_badly = 4000;
	made.run.exit_status = -1;
	made.run.finished = false;
	made.run.host = NULL;
	made.run.note = (char *)"\033]0;title\a careful\xff";
	int code = write_all(&made, error);
	free_names(&made);
	return code;
}

static int write_rare(struct profile *profile, struct error *error)
{
	struct made_target targets[] = {
		{line_of("/src/pack/pipeline.c", 42, "compress_block"), 0.412, {0.48}, 0, 0},
	};
	struct made made = {
		.profile = profile,
		.run = run_of("[\"./pack\"]", 12, 7),
		.points = {{.kind = POINT_THROUGHPUT, .name = (char *)"file"}},
		.point_count = 1,
		.targets = targets,
		.target_count = 1,
		.counted = 1, /* so that there are some visits */
	};
	int code = begin(&made, error);
	for (unsigned i = 0; i < 9 && !code; i++)
		code = add_experiment(&made, &targets[0], 0.1 * i, VERDICT_TOO_FEW_VISITS, error);
	if (!code)
		code = end(&made, error);
	free_names(&made);
	return code;
}

static int write_short(struct profile *profile, struct error *error)
{
	struct made made = {
		.profile = profile,
		.run = run_of("[\"true\"]", 1, 7),
		.points = {{.kind = POINT_THROUGHPUT, .name = (char *)"op"}},
		.point_count = 1,
	};
	made.run.wall_ns = 1200000;
	made.run.samples = 0;
	int code = begin(&made, error);
	return code ? code : end(&made, error);
}

/* As long as names of nested templates. */
static char *long_name(void)
{
	AUTO(text) char *name = text_copy("");
	while (strlen(name) < 10000) {
		AUTO(text) char *before = name;
		name = text_format("%sstd::map<std::string, pack::block<unsigned char>, ", before);
	}
	return take(&name);
}

static int write_markup(struct profile *profile, struct error *error)
{
	AUTO(text) char *name = long_name();
	struct made_target targets[] = {
		{function_of("<script>document.title = 'taken'</script>", 1), 0.2, {0.3}, 0, 10},
		{function_of("</script><img src=x onerror=\"document.title = 'taken'\">", 2),
		 0.1,
		 {0.2},
		 0,
		 10},
		{function_of("=1+2,\"a\"\n@x", 3), 0.05, {0.1}, 0, 10},
		{function_of("__proto__", 4), 0.04, {-0.3}, 0, 10},
		{function_of(name, 5), 0.03, {0.1}, 0, 10},
	};
	struct made made = {
		.profile = profile,
		.run = run_of("[\"</title><script>1</script>\"]", 10, 5),
		.points = {{.kind = POINT_THROUGHPUT, .name = (char *)"<b>constructor</b>"}},
		.point_count = 1,
		.targets = targets,
		.target_count = sizeof(targets) / sizeof(targets[0]),
		.now_ns = 5000000000u,
	};
	made.run.note = (char *)"<i>a note</i> & more";
	int code = write_all(&made, error);
	free_names(&made);
	return code;
}

static struct made_target wide_target(unsigned i)
{
	static const char *const files[] = {
		"src/stats/effect.c",     "src/analyze/causal.c",     "src/report/text.c",
		"src/symbolize/object.c", "src/experiment/session.c",
	};
	double size = 1.0 / (1 + i);
	struct made_target made = {
		.share = 0.16 * size,
		.slope = {i % 7 == 3 ? -0.2 * size : 0.5 * size, 0.3 * size},
		.knee = i % 5 == 1 ? 0.5 : 0,
		.experiments = 30,
	};
	AUTO(text) char *function = text_format("function_%u", i % 60);
	made.target = line_of(files[i % 5], 20 + i, NULL);
	made.target.function = take(&function);
	return made;
}

static int write_wide(struct profile *profile, struct error *error)
{
	struct made_target targets[WIDE_TARGETS];
	for (unsigned i = 0; i < WIDE_TARGETS; i++)
		targets[i] = wide_target(i);
	struct made made = {
		.profile = profile,
		.run = run_of("[\"./wide\", \"--threads\", \"8\"]", 1200, 3),
		.points = {{.kind = POINT_THROUGHPUT, .name = (char *)"request"},
			   {.kind = POINT_LATENCY, .name = (char *)"accept,reply"}},
		.point_count = 2,
		.targets = targets,
		.target_count = WIDE_TARGETS,
		.now_ns = 5000000000u,
	};
	int code = write_all(&made, error);
	for (unsigned i = 0; i < WIDE_TARGETS; i++)
		free(targets[i].target.function);
	free_names(&made);
	return code;
}

static int write_kinds(struct profile *profile, struct error *error)
{
	struct made_target targets[] = {
		{line_of("/src/server/handlers.c", 121, "decode"), 0.3, {0.25}, 0, 20},
		{function_of("decode", 120), 0.35, {0.28}, 0, 20},
		{function_of("render", 15), 0.4, {0.3}, 0, 20},
	};
	struct made made = {
		.profile = profile,
		.run = run_of("[\"/usr/sbin/server\"]", 60, 9),
		.points = {{.kind = POINT_THROUGHPUT, .name = (char *)"request"}},
		.point_count = 1,
		.targets = targets,
		.target_count = sizeof(targets) / sizeof(targets[0]),
		.now_ns = 5000000000u,
	};
	int code = write_all(&made, error);
	free_names(&made);
	return code;
}

/* Nobody named a point; polling is no progress, and tells something else. */
static int write_found(struct profile *profile, struct error *error)
{
	struct made_target targets[] = {
		{function_of("deflate_block", 20), 0.5, {0.45, 0.02, 0.46}, 0, 40},
		{function_of("crc", 80), 0.3, {0.01, 0.3, 0.01}, 0, 40},
		{function_of("idle", 90), 0.1, {0, 0, 0}, 0, 40},
	};
	struct made made = {
		.profile = profile,
		.run = run_of("[\"pack\"]", 60, 9),
		.points = {{.name = (char *)"deflate", .is_found = true},
			   {.name = (char *)"poll_queue", .is_found = true},
			   {.kind = POINT_SAMPLED, .name = (char *)"sampled:*", .is_found = true}},
		.point_count = 3,
		.targets = targets,
		.target_count = sizeof(targets) / sizeof(targets[0]),
		.now_ns = 5000000000u,
	};
	made.run.machine = (char *)"Some CPU, 8 cores";
	int code = write_all(&made, error);
	free_names(&made);
	return code;
}

static int add_members(struct made *made, const struct made_target *set, const char *first,
		       const char *second, struct error *error)
{
	const char *const names[] = {first, second};
	int code = 0;

	for (int i = 0; i < 2 && !code; i++) {
		struct recording_member member = {.target_id = set->target.id,
						  .kind = TARGET_FUNCTION,
						  .name = (char *)names[i],
						  .level = 1};
		code = profile_set_member(made->profile, &member, error);
	}
	return code;
}

static int add_search(struct made *made, unsigned number, const char *found, struct error *error)
{
	struct recording_set_search search = {.run_id = made->run.id,
					      .search = number,
					      .end = SET_SEARCH_END_FOUND,
					      .candidates = 31,
					      .duration_ns = 14300000000,
					      .excess = 0.25,
					      .members = (char *)found};
	struct recording_set_measure measure = {.run_id = made->run.id,
						.search = number,
						.members = (char *)found,
						.speedup = 0.5,
						.measurements = 6,
						.ratio = 0.74,
						.error = 0.013};
	int code = profile_set_set_search(made->profile, &search, error);
	return code ? code : profile_set_set_measure(made->profile, &measure, error);
}

/*
 * Of the sets that the search found, experiments confirm the first, and not the second; none is of
 * the third. Nor is one of `encode_block`.
 */
static int write_sets(struct profile *profile, struct error *error)
{
	struct made_target targets[] = {
		{function_of("compress_left", 20), 0.3, {0.001}, 0, 60},
		{function_of("compress_right", 40), 0.3, {0}, 0, 60},
		{function_of("compress_left + compress_right", 0), 0.6, {0.55}, 0, 60},
		{function_of("parse", 80), 0.2, {0.2}, 0, 60},
		{function_of("write", 90), 0.1, {0.1}, 0, 60},
		{function_of("parse + write", 0), 0.3, {0.3}, 0, 60},
		{line_of("/src/pack/encode.c", 7, "encode_block"), 0.19, {0.1}, 0, 0},
	};
	struct made made = {
		.profile = profile,
		.run = run_of("[\"pack\"]", 60, 9),
		.points = {{.kind = POINT_THROUGHPUT, .name = (char *)"block"}},
		.point_count = 1,
		.targets = targets,
		.target_count = sizeof(targets) / sizeof(targets[0]),
		.now_ns = 5000000000u,
	};
	for (int i = 2; i < 6; i += 3) {
		free(targets[i].target.name);
		targets[i].target = (struct recording_target){
			.kind = TARGET_SET,
			.name = text_copy(i == 2 ? "compress_left + compress_right" :
						   "parse + write")};
	}
	made.run.options = (char *)"[\"--seconds=60\"]";
	int code = write_all(&made, error);
	code = code ? code :
		      add_members(&made, &targets[2], "compress_left", "compress_right", error);
	code = code ? code : add_members(&made, &targets[5], "parse", "write", error);
	code = code ? code : add_search(&made, 1, "compress_left + compress_right", error);
	code = code ? code : add_search(&made, 2, "parse + write", error);
	code = code ? code : add_search(&made, 3, "std::swap<int> + flush", error);
	free_names(&made);
	return code;
}

/* `flush` gains little at first, and much once `parse` is 50 % faster. */
static int write_roadmap(struct profile *profile, struct error *error)
{
	struct made_target targets[] = {
		{function_of("parse", 20), 0.4, {0.4}, 0, 60},
		{function_of("flush", 40), 0.3, {0.06}, 0, 60},
		{function_of("flush after parse:50%", 40), 0.3, {0.3}, 0, 60},
	};
	struct made made = {
		.profile = profile,
		.run = run_of("[\"server\"]", 60, 9),
		.points = {{.kind = POINT_THROUGHPUT, .name = (char *)"request"}},
		.point_count = 1,
		.targets = targets,
		.target_count = sizeof(targets) / sizeof(targets[0]),
		.now_ns = 5000000000u,
	};
	targets[2].target.function = (char *)"flush";
	targets[2].target.assumed = (char *)"parse:50%";
	int code = write_all(&made, error);
	free_names(&made);
	return code;
}

/* No target has experiments at a speedup and controls, and each lacks something else. */
static int write_few(struct profile *profile, struct error *error)
{
	struct made_target targets[] = {
		{line_of("/src/pack/pipeline.c", 42, "compress_block"), 0.412, {0.48}, 0, 0},
		{line_of("/src/pack/pipeline.c", 87, "checksum"), 0.3, {0.1}, 0, 0},
		{line_of("/src/pack/index.c", 12, "find_slot"), 0.2, {0.1}, 0, 0},
	};
	struct made made = {
		.profile = profile,
		.run = run_of("[\"./pack\"]", 12, 7),
		.points = {{.kind = POINT_THROUGHPUT, .name = (char *)"file"}},
		.point_count = 1,
		.targets = targets,
		.target_count = sizeof(targets) / sizeof(targets[0]),
	};
	made.run.options = (char *)"[]";
	int code = begin(&made, error);
	for (unsigned i = 0; i < 2 && !code; i++)
		code = add_experiment(&made, &targets[0], 0.5, VERDICT_COUNTED, error);
	for (unsigned i = 0; i < 3 && !code; i++)
		code = add_experiment(&made, &targets[1], 0.5, VERDICT_DISPLACED, error);
	if (!code)
		code = end(&made, error);
	free_names(&made);
	return code;
}

int recordings_write(const char *name, const char *path, struct error *error)
{
	static int (*const writers[])(struct profile *, struct error *) = {
		write_pipeline, write_latency, write_hostile, write_rare,
		write_short,    write_markup,  write_wide,    write_kinds,
		write_found,    write_sets,    write_roadmap, write_few};
	AUTO(profile) struct profile *profile = NULL;
	int code = profile_create(path, true, &profile, error);
	for (unsigned i = 0; i < recordings_count && !code; i++) {
		if (!strcmp(name, recordings[i]))
			code = writers[i](profile, error);
	}
	return code ? code : profile_commit(profile, error);
}
