/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay - a recorded run gives the model `replay`, phases by annotation, and the gain of a target
 * on other cores.
 *
 * The log: 10 works 100 ms alone, creates 11, and both work 100 ms.
 */
#include "analyze/scale/scale.h"

#include "base/cleanup.h"
#include "check.h"

#define MS 1000000ull
#define BASE 1000000000ull

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)
CLEANUP_DEFINE(scale, struct scale *, scale_free, NULL)

static void leave(struct chunk_writer *core, unsigned ms, unsigned tid, unsigned next)
{
	struct switch_event event = {.time_ns = BASE + ms * MS,
				     .tid = tid,
				     .other = next,
				     .kind = SWITCH_SWITCH,
				     .flags = (tid ? SWITCH_TID_OURS : 0) |
					      (next ? SWITCH_OTHER_OURS : 0),
				     .system_call = tid ? 60 : SWITCH_NO_CALL,
				     .state = tid ? 0x10 : 0};
	chunk_writer_add_switch(core, &event);
}

static void task(struct chunk_writer *tasks, unsigned ms, enum task_kind kind, unsigned tid,
		 unsigned parent)
{
	struct task_event event = {
		.time_ns = BASE + ms * MS, .kind = kind, .pid = 10, .tid = tid, .parent = parent};
	chunk_writer_add_task(tasks, &event);
}

static void mark(struct chunk_writer *marks, unsigned ms, enum mark_kind kind)
{
	struct mark event = {.time_ns = BASE + ms * MS, .kind = kind, .name_id = 1};
	chunk_writer_add_mark(marks, &event);
}

static void add_chunk(struct recording *recording, enum chunk_kind kind, unsigned track,
		      struct chunk_writer *chunk_writer)
{
	struct recording_chunk *chunk = array_add(&recording->chunks);

	*chunk = (struct recording_chunk){.id = (int64_t)recording->chunks.count,
					  .run_id = 2,
					  .kind = kind,
					  .cpu = kind == CHUNK_SCHEDULER ? track : 0,
					  .pid = kind == CHUNK_MARKS ? 10 : 0,
					  .tid = kind == CHUNK_MARKS ? track : 0,
					  .start_ns = chunk_writer->start_ns,
					  .end_ns = chunk_writer->last_ns,
					  .events = chunk_writer->events};
	chunk->data.items = chunk_writer_take(chunk_writer, &chunk->data.count);
	chunk_writer_release(chunk_writer);
}

static void add_run(struct recording *recording, int64_t id, bool is_recorded, unsigned taken_ms)
{
	*array_add(&recording->runs) =
		(struct recording_run){.id = id, .kind = RUN_SCALE, .finished = true};
	*array_add(&recording->parallels) = (struct recording_parallel){.run_id = id,
									.session_id = 1,
									.asked = text_copy("1,2"),
									.cores = 2,
									.machine_cores = 2,
									.most_threads = 2};
	*array_add(&recording->run_conditions) = (struct recording_run_conditions){
		.run_id = id, .is_recorded = is_recorded, .inspections = 400, .spinning = 40};
	for (unsigned j = 1; j <= 2; j++)
		*array_add(&recording->levels) =
			(struct recording_level){.run_id = id,
						 .threads = j,
						 .wall_ns = (100 + (j == 1 ? taken_ms : 0)) * MS,
						 .running_ns = j * 100 * MS};
}

/* The recorded run took longer than its log says, by this time. */
static struct recording *logged(unsigned longer_ms)
{
	struct recording *recording = memory_new(1, sizeof(*recording));
	struct chunk_writer cores[2] = {0}, tasks = {0}, marks = {0};

	add_run(recording, 1, false, 0);
	add_run(recording, 2, true, longer_ms);
	*array_add(&recording->strings) = (struct recording_string){.id = 1,
								    .run_id = 2,
								    .number = 1,
								    .text = text_copy("both")};
	task(&tasks, 0, TASK_EXEC, 10, 0);
	task(&tasks, 100, TASK_FORK, 11, 10);
	leave(&cores[0], 0, 0, 10);
	leave(&cores[0], 200, 10, 0);
	leave(&cores[1], 100, 0, 11);
	leave(&cores[1], 200, 11, 0);
	mark(&marks, 80, MARK_BEGIN);
	mark(&marks, 180, MARK_END);
	add_chunk(recording, CHUNK_TASKS, 0, &tasks); /* first, as a thread begins before it runs */
	add_chunk(recording, CHUNK_SCHEDULER, 0, &cores[0]);
	add_chunk(recording, CHUNK_SCHEDULER, 1, &cores[1]);
	add_chunk(recording, CHUNK_MARKS, 10, &marks);
	return recording;
}

/* Target samples over all of the first 100 ms, one each ms. */
static void ask(struct recording *recording, int gain_ppm)
{
	*array_add(&recording->what_ifs) = (struct recording_what_if){.session_id = 1,
								      .name = text_copy("serial"),
								      .speedup = 0.5,
								      .gain_ppm = gain_ppm,
								      .low_ppm = gain_ppm - 20000,
								      .high_ppm = gain_ppm + 20000};
	for (unsigned i = 1; i <= 100; i++)
		*array_add(&recording->target_samples) = (struct recording_target_sample){
			.run_id = 2, .tid = 10, .time_ns = BASE + i * MS, .weight_ns = MS};
}

TEST("the recorded run is not pooled, and is simulated on other cores")
{
	AUTO(recording) struct recording *recording = logged(0);
	AUTO(scale) struct scale *scale = scale_new(recording);
	CHECK_EQUAL(scale->runs.count, 1);
	CHECK_EQUAL(scale->recorded.count, 1);
	CHECK(scale->check.is_there && scale->check.has_passed);
	CHECK_NEAR(scale->check.replayed_ns, 200e6, 1);
	CHECK_NEAR(scale->check.error, 0, 1e-9);
	CHECK_NEAR(scale_prediction(scale, 1, SCALE_REPLAY)->wall_ns, 300e6, 1);
	CHECK_NEAR(scale_prediction(scale, 2, SCALE_REPLAY)->wall_ns, 200e6, 1);
	CHECK_EQUAL(scale_best_model(scale, 1), SCALE_REPLAY);
}

TEST("a simulation that misses the recorded run's time by more than 5 % is refused")
{
	AUTO(recording) struct recording *recording = logged(12);
	AUTO(scale) struct scale *scale = scale_new(recording);
	CHECK(scale->check.is_there && !scale->check.has_passed);
	CHECK(strstr(scale->check.refusal, "differs from its own time by -5.7 %"));
	CHECK(!scale_prediction(scale, 1, SCALE_REPLAY));
	CHECK_EQUAL(scale_best_model(scale, 1), SCALE_FORMULA);
}

TEST("a log that is cut, or has lost events, is not simulated")
{
	AUTO(recording) struct recording *cut = logged(0);
	cut->run_conditions.items[1].is_cut = true;
	AUTO(scale) struct scale *one = scale_new(cut);
	CHECK(strstr(one->check.refusal, "cut"));
	AUTO(recording) struct recording *lossy = logged(0);
	lossy->runs.items[1].lost = 3;
	AUTO(scale) struct scale *other = scale_new(lossy);
	CHECK(strstr(other->check.refusal, "3 switches are missing"));
	CHECK(!scale_prediction(other, 1, SCALE_REPLAY));
}

TEST("a span is a phase with its time, its threads, and its time with one thread")
{
	AUTO(recording) struct recording *recording = logged(0);
	AUTO(scale) struct scale *scale = scale_new(recording);
	CHECK_EQUAL(scale->spans.count, 1);
	const struct scale_span *span = &scale->spans.items[0];
	CHECK_TEXT(span->name, "both");
	CHECK_EQUAL(span->times, 1);
	CHECK_NEAR(span->wall_ns, 100e6, 1);
	CHECK_NEAR(span->active, 0.2 * 1 + 0.8 * 2, 1e-9);
	CHECK_NEAR(span->serial_share, 0.2, 1e-9);
	CHECK_EQUAL(span->levels.count, 2);
	CHECK_NEAR(span->levels.items[1].wall_ns, 80e6, 1);
}

TEST("a serial target gains more on two cores than on one, as calculated")
{
	AUTO(recording) struct recording *recording = logged(0);
	ask(recording, 250000);
	AUTO(scale) struct scale *scale = scale_new(recording);
	CHECK(scale->what_if.asked);
	CHECK_TEXT(scale->what_if.refusal, NULL);
	CHECK_EQUAL(scale->what_if.target_samples, 100);
	CHECK_NEAR(scale->what_if.gain_here, 0.25, 1e-6);
	CHECK_EQUAL(scale->what_if.predictions.count, 2);
	const struct scale_predicted_gain *one = &scale->what_if.predictions.items[0];
	CHECK_EQUAL(one->cores, 1);
	CHECK_NEAR(one->gain, 50.0 / 300, 1e-6);
	CHECK(one->low < one->gain - 0.02 && one->high > one->gain + 0.02);
}

TEST("a simulation that contradicts the experiments gives no answer")
{
	AUTO(recording) struct recording *recording = logged(0);
	ask(recording, 50000);
	AUTO(scale) struct scale *scale = scale_new(recording);
	CHECK(strstr(scale->what_if.refusal,
		     "the simulation gains 25.0 %, but the experiments 5.0 %"));
	CHECK_EQUAL(scale->what_if.predictions.count, 0);
	AUTO(recording) struct recording *few = logged(0);
	ask(few, 250000);
	few->target_samples.count = 10;
	AUTO(scale) struct scale *other = scale_new(few);
	CHECK(strstr(other->what_if.refusal, "only 10 samples"));
}

TEST("threads that spin while they wait give a warning")
{
	AUTO(recording) struct recording *recording = logged(0);
	AUTO(scale) struct scale *scale = scale_new(recording);
	bool is_said = false;
	for (size_t i = 0; i < scale->warnings.count; i++)
		is_said = is_said || strstr(scale->warnings.items[i], "in 10 % of 400 samples");
	CHECK(is_said);
}
