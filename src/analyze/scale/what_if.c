/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what_if - whether the first target of a causal profile still matters on other numbers of cores.
 *
 * The recorded run is simulated twice on each number of cores: as it was, and with less time in the
 * target's samples. On the machine's own cores the experiments give the gain. If the simulation
 * disagrees there, it lacks something, and no gain is reported.
 */
#include "analyze/scale/parts.h"
#include "base/cleanup.h"

#include <math.h>
#include <stdlib.h>

#define TARGET_SAMPLES_LEAST 25
#define AGREES_LEAST 0.02 /* of the program's time: a smaller difference counts as agreement */

CLEANUP_DEFINE(target_samples, struct recording_target_sample *, free, NULL)
CLEANUP_DEFINE(log, struct log_replay *, log_replay_free, NULL)

static int by_thread_and_time(const void *left, const void *right)
{
	const struct recording_target_sample *a = left, *b = right;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

/* Target samples of the recorded run, in order; to be freed. */
static struct recording_target_sample *target_samples_of(const struct scale *scale, size_t *count)
{
	const struct recording *recording = scale->recording;
	int64_t run = scale->recorded.items[scale->recorded.count - 1].run->id;
	struct recording_target_sample *target_samples =
		memory_new(recording->target_samples.count + 1, sizeof(*target_samples));

	*count = 0;
	for (size_t i = 0; i < recording->target_samples.count; i++)
		if (recording->target_samples.items[i].run_id == run)
			target_samples[(*count)++] = recording->target_samples.items[i];
	qsort(target_samples, *count, sizeof(*target_samples), by_thread_and_time);
	return target_samples;
}

static double gain_on(const struct scale *scale, const struct log_replay *reduction, unsigned cores)
{
	struct replay_settings settings = {
		.cores = cores,
		.growth = scale->growth,
		.wake_delay_ns = scale->log->wake_delay_ns,
	};
	return 1 - replay_run(&reduction->replay, &settings) /
			   replay_run(&scale->log->replay, &settings);
}

/*
 * Half of the 95 % interval: the number of samples (as of rare events), and the errors of the
 * experiments and the simulation, estimated from their difference.
 */
static double half_of(const struct scale_what_if *what_if, double gain)
{
	const struct recording_what_if *asked = what_if->asked;
	double sampling = 1.96 * fabs(gain) / sqrt((double)what_if->target_samples);
	double measured = (asked->high_ppm - asked->low_ppm) / 2e6;
	double apart = what_if->gain_here - asked->gain_ppm / 1e6;

	return sqrt(sampling * sampling + measured * measured + apart * apart);
}

static char *refusal_of(const struct scale *scale, const struct scale_what_if *what_if)
{
	const struct recording_what_if *asked = what_if->asked;
	double measured = asked->gain_ppm / 1e6, half = (asked->high_ppm - asked->low_ppm) / 2e6;
	double sampling = 1.96 * fabs(what_if->gain_here) / sqrt((double)what_if->target_samples);

	if (!isfinite(what_if->gain_here))
		return text_copy("threads wait for wake-ups that are not in the log");
	if (fabs(what_if->gain_here - measured) <= fmax(AGREES_LEAST, half + sampling))
		return NULL;
	return text_format("on %u cores the simulation gains %.1f %%, but the experiments %.1f %% "
			   "±%.1f: the simulation lacks what limits this program",
			   scale->machine_cores, 100 * what_if->gain_here, 100 * measured,
			   100 * half);
}

static void prediction(struct scale *scale, const struct log_replay *reduction)
{
	struct scale_what_if *what_if = &scale->what_if;
	unsigned cores = 0;

	what_if->gain_here = gain_on(scale, reduction, scale->machine_cores);
	what_if->refusal = refusal_of(scale, what_if);
	for (size_t i = 0; i < scale->predictions.count && !what_if->refusal; i++) {
		if (scale->predictions.items[i].cores == cores)
			continue;
		cores = scale->predictions.items[i].cores;
		double gain = gain_on(scale, reduction, cores), half = half_of(what_if, gain);
		*array_add(&what_if->predictions) = (struct scale_predicted_gain){
			.cores = cores, .gain = gain, .low = gain - half, .high = gain + half};
	}
}

void scale_find_what_if(struct scale *scale, const struct timeline *timeline)
{
	struct scale_what_if *what_if = &scale->what_if;
	const struct scale_run *recorded = &scale->recorded.items[scale->recorded.count - 1];
	struct log_speedup speedup = {0};

	for (size_t i = 0; i < scale->recording->what_ifs.count; i++)
		if (scale->recording->what_ifs.items[i].session_id ==
		    recorded->parallel->session_id)
			what_if->asked = &scale->recording->what_ifs.items[i];
	if (!what_if->asked)
		return;
	if (!scale->check.has_passed) {
		what_if->refusal = text_copy("the program cannot be simulated");
		return;
	}
	AUTO(target_samples)
	struct recording_target_sample *target_samples = target_samples_of(scale, &speedup.count);
	what_if->target_samples = speedup.count;
	if (speedup.count < TARGET_SAMPLES_LEAST) {
		what_if->refusal = text_format("it has only %zu samples", speedup.count);
		return;
	}
	speedup.target_samples = target_samples;
	speedup.speedup = what_if->asked->speedup;
	struct log_steals steals = scale_steals(scale);
	AUTO(log)
	struct log_replay *reduction = log_replay_new(timeline, recorded->parallel->cores,
						      scale->growth, &speedup, &steals);
	prediction(scale, reduction);
}
