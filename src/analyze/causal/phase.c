/* SPDX-License-Identifier: BSD-2-Clause */
/* phase - compares a target's activity in its control windows with that in the whole run. */
#include "analyze/causal/phase.h"

#include "analyze/causal/trials.h"
#include "stats/effect.h"

#include <math.h>

#define BORDER_ERROR 0.02
#define WINDOWS_LEAST 2

/* How a target's activity is measured. */
enum measure {
	MEASURE_THREADS, /* its time, of all threads */
	MEASURE_ALONE,   /* as if its threads took turns: two at once are one core's time */
};

struct phase {
	double target_ns, observed_ns; /* in its control windows; their wall time */
	double relative_error;         /* of target_ns / observed_ns, by how the windows differ */
	double run_target_ns, run_ns;  /* in those runs at speedup 0; their wall time */
	double sampled_ns, samples;    /* of those runs, at any speedup */
	double lost_ns;                /* of run_ns, in which samples were lost */
};

static bool ran_in(const struct trials *trials, int64_t run_id)
{
	for (size_t i = 0; i < trials->count; i++)
		if (trials->items[i]->run_id == run_id)
			return true;
	return false;
}

static double target_time(const struct recording_experiment *window, enum measure measure)
{
	return (double)(measure == MEASURE_ALONE ? window->target_alone_ns : window->target_ns);
}

/* Of a ratio of sums (Cochran, Sampling Techniques, 2.11). */
static double ratio_error(const struct trials *trials, const struct phase *phase,
			  enum measure measure)
{
	double ratio = phase->target_ns / phase->observed_ns, squares = 0, count = 0;

	for (size_t i = 0; i < trials->count; i++) {
		const struct recording_experiment *window = trials->items[i];
		double off = target_time(window, measure) - ratio * (double)window->duration_ns;
		if (window->speedup > 0)
			continue;
		squares += off * off;
		count++;
	}
	if (count < WINDOWS_LEAST || !(phase->target_ns > 0))
		return INFINITY;
	return sqrt(squares * count / (count - 1)) / phase->target_ns;
}

/*
 * A buffer overflows while the engine is stopped, which is between windows, at speedup 0. What the
 * program did then is unknown, and no phase without the target.
 */
static double lost_time(const struct recording_run *run)
{
	double all = (double)run->samples + (double)run->lost;

	return all > 0 ? (double)run->wall_ns * (double)run->lost / all : 0;
}

static struct phase phase_of(const struct recording *recording, const struct trials *trials,
			     const struct trials_index *index, int64_t target_id,
			     enum measure measure)
{
	struct phase phase = {0};
	size_t count;
	const struct recording_sample **samples = trials_samples(index, target_id, &count);

	for (size_t i = 0; i < trials->count; i++) {
		if (trials->items[i]->speedup > 0)
			continue;
		phase.target_ns += target_time(trials->items[i], measure);
		phase.observed_ns += (double)trials->items[i]->duration_ns;
	}
	for (size_t i = 0; i < recording->runs.count; i++) {
		const struct recording_run *run = &recording->runs.items[i];
		if (!ran_in(trials, run->id))
			continue;
		phase.run_ns += (double)run->baseline_ns;
		phase.sampled_ns += (double)run->sampled_ns;
		phase.samples += (double)run->samples;
		phase.lost_ns += lost_time(run);
	}
	phase.lost_ns = fmin(phase.lost_ns, fmax(0, phase.run_ns - phase.observed_ns));
	phase.run_ns -= phase.lost_ns;
	for (size_t i = 0; i < count; i++)
		if (ran_in(trials, samples[i]->run_id))
			phase.run_target_ns += (double)(measure == MEASURE_ALONE ?
								samples[i]->baseline_alone_ns :
								samples[i]->baseline_sampled_ns);
	phase.relative_error = ratio_error(trials, &phase, measure);
	return phase;
}

/*
 * The experiments at speedup 0 are a part of the time at speedup 0. If the sums contradict that,
 * the recorder died before it had written them, and the factor is unknown.
 */
static double factor_of(const struct phase *phase)
{
	double sample_ns = phase->samples > 0 ? phase->sampled_ns / phase->samples : 0;

	if (sample_ns <= 0 || phase->observed_ns <= 0 || phase->run_ns < phase->observed_ns ||
	    phase->run_target_ns < phase->target_ns)
		return 1;
	double factor = effect_phase_factor(phase->target_ns, phase->observed_ns,
					    phase->run_target_ns, phase->run_ns, sample_ns);
	return 1 - factor > 2 * phase->relative_error ? factor : 1;
}

/*
 * Of the two counts of samples, of the phases' borders, which windows do not resolve, and of the
 * time in which samples were lost.
 */
static double factor_error(const struct phase *phase)
{
	double sample_ns = phase->sampled_ns / phase->samples;
	double lost_part = phase->lost_ns / (phase->run_ns + phase->lost_ns);

	return sqrt(sample_ns / phase->target_ns + sample_ns / phase->run_target_ns +
		    phase->relative_error * phase->relative_error + BORDER_ERROR * BORDER_ERROR +
		    lost_part * lost_part);
}

static struct phase_correction by_measure(const struct recording *recording,
					  const struct trials *trials,
					  const struct trials_index *index, int64_t target_id,
					  enum measure measure)
{
	struct phase phase = phase_of(recording, trials, index, target_id, measure);
	double factor = factor_of(&phase);

	return (struct phase_correction){factor, factor < 1 ? factor_error(&phase) : 0};
}

/* Whether all windows and runs have it: those of older files lack it. */
static bool knows_alone(const struct trials *trials, const struct trials_index *index,
			int64_t target_id)
{
	size_t count;
	const struct recording_sample **samples = trials_samples(index, target_id, &count);

	for (size_t i = 0; i < count; i++)
		if (ran_in(trials, samples[i]->run_id) && samples[i]->baseline_sampled_ns &&
		    !samples[i]->baseline_alone_ns)
			return false;
	return true;
}

/*
 * A phase in which fewer threads are in the target is none in which it matters less: where all of
 * them are sped up at once, the gain is one core's time. So both measures must tell a phase.
 */
struct phase_correction phase_correction_of(const struct recording *recording,
					    const struct trials_index *index, int64_t target_id)
{
	/* The run's mean holds the time in which other programs had the cores: so must these. */
	struct trials trials = trials_with_displaced(index, target_id);

	trials_drop_idle(recording, &trials);
	struct phase_correction threads =
		by_measure(recording, &trials, index, target_id, MEASURE_THREADS);
	struct phase_correction alone = threads;
	if (knows_alone(&trials, index, target_id))
		alone = by_measure(recording, &trials, index, target_id, MEASURE_ALONE);
	trials_release(&trials);
	return alone.factor > threads.factor ? alone : threads;
}
