/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scale_question - whether the first target of a causal profile still matters on other numbers of cores.
 *
 * The logged run is simulated twice on each number of cores, as it was and with less time wherever the
 * target was sampled. On the machine's own cores the experiments of the causal profile have the answer
 * already: where the simulation finds another, it knows the program too little, and nothing is said.
 */
#include "analyze/scale_parts.h"
#include "base/own.h"

#include <math.h>
#include <stdlib.h>

#define HITS_FEW 25
#define AGREES_LEAST 0.02 /* of the program's time: closer than that is agreement in any case */

OWN_DEFINE(hits, struct recording_hit *, free, NULL)
OWN_DEFINE(log, struct log_replay *, log_replay_free, NULL)

static int by_thread_and_time(const void *left, const void *right)
{
	const struct recording_hit *a = left, *b = right;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

/* Of the recorded run, in order; to be freed. */
static struct recording_hit *hits_of(const struct scale *scale, size_t *count)
{
	const struct recording *recording = scale->recording;
	int64_t run = scale->recorded.items[scale->recorded.count - 1].run->id;
	struct recording_hit *hits = memory_new(recording->hits.count + 1, sizeof(*hits));

	*count = 0;
	for (size_t i = 0; i < recording->hits.count; i++)
		if (recording->hits.items[i].run_id == run)
			hits[(*count)++] = recording->hits.items[i];
	qsort(hits, *count, sizeof(*hits), by_thread_and_time);
	return hits;
}

static double gain_on(const struct scale *scale, const struct log_replay *faster, unsigned cores)
{
	struct replay_settings settings = {
		.cores = cores,
		.growth = scale->growth,
		.wake_delay_ns = scale->log->wake_delay_ns,
	};
	return 1 -
	       replay_run(&faster->replay, &settings) / replay_run(&scale->log->replay, &settings);
}

/*
 * Half of the 95 % interval: the samples' number (as of rare events), and what the experiments and the
 * simulation may be off, of which they show that much.
 */
static double half_of(const struct scale_question *question, double gain)
{
	const struct recording_question *asked = question->asked;
	double sampling = 1.96 * fabs(gain) / sqrt((double)question->hits);
	double measured = (asked->high_ppm - asked->low_ppm) / 2e6;
	double apart = question->gain_here - asked->gain_ppm / 1e6;

	return sqrt(sampling * sampling + measured * measured + apart * apart);
}

static char *refusal_of(const struct scale *scale, const struct scale_question *question)
{
	const struct recording_question *asked = question->asked;
	double measured = asked->gain_ppm / 1e6, half = (asked->high_ppm - asked->low_ppm) / 2e6;
	double sampling = 1.96 * fabs(question->gain_here) / sqrt((double)question->hits);

	if (!isfinite(question->gain_here))
		return text_copy("threads wait for others that never come");
	if (fabs(question->gain_here - measured) <= fmax(AGREES_LEAST, half + sampling))
		return NULL;
	return text_format(
		"on %u cores the simulation wins %.1f %%, the experiments %.1f %% ±%.1f: it "
		"does not know what holds this program up",
		scale->machine_cores, 100 * question->gain_here, 100 * measured, 100 * half);
}

static void answer(struct scale *scale, const struct log_replay *faster)
{
	struct scale_question *question = &scale->question;
	unsigned cores = 0;

	question->gain_here = gain_on(scale, faster, scale->machine_cores);
	question->refusal = refusal_of(scale, question);
	for (size_t i = 0; i < scale->answers.count && !question->refusal; i++) {
		if (scale->answers.items[i].cores == cores)
			continue;
		cores = scale->answers.items[i].cores;
		double gain = gain_on(scale, faster, cores), half = half_of(question, gain);
		*array_add(&question->answers) = (struct scale_matter){.cores = cores,
								       .gain = gain,
								       .low = gain - half,
								       .high = gain + half};
	}
}

void scale_find_matters(struct scale *scale, const struct timeline *timeline)
{
	struct scale_question *question = &scale->question;
	const struct scale_run *recorded = &scale->recorded.items[scale->recorded.count - 1];
	struct log_speedup speedup = {0};

	for (size_t i = 0; i < scale->recording->questions.count; i++)
		if (scale->recording->questions.items[i].session_id ==
		    recorded->parallel->session_id)
			question->asked = &scale->recording->questions.items[i];
	if (!question->asked)
		return;
	if (!scale->check.has_passed) {
		question->refusal = text_copy("there is no replay of the program");
		return;
	}
	AUTO(hits) struct recording_hit *hits = hits_of(scale, &speedup.count);
	question->hits = speedup.count;
	if (speedup.count < HITS_FEW) {
		question->refusal = text_format("only %zu samples fell into it", speedup.count);
		return;
	}
	speedup.hits = hits;
	speedup.speedup = question->asked->speedup;
	struct log_thefts thefts = scale_thefts(scale);
	AUTO(log)
	struct log_replay *faster = log_replay_new(timeline, recorded->parallel->cores,
						   scale->growth, &speedup, &thefts);
	answer(scale, faster);
}
