/* SPDX-License-Identifier: BSD-2-Clause */
/* transients - compares the parts of windows before and after their marks. */
#include "analyze/causal/transients.h"

#include "analyze/causal/trials.h"
#include "base/cleanup.h"
#include "stats/distribution.h"
#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>

#define CUTS 3
#define WINDOWS_LEAST 6
#define VISITS_LEAST 8 /* on either side of a mark: fewer depend on where it fell */
#define SURE 0.9995
#define CHANGE_LEAST 0.02 /* smaller ones do not matter */

static const unsigned cuts[CUTS] = {1, 2, 4};

CLEANUP_DEFINE(reals, double *, free, NULL)

static const struct recording_mark *mark_of(const struct recording_experiment *experiment,
					    int64_t point_id, unsigned number)
{
	for (size_t i = 0; i < experiment->marks.count; i++) {
		const struct recording_mark *mark = &experiment->marks.items[i];
		if (mark->point_id == point_id && mark->number == number)
			return mark;
	}
	return NULL;
}

static bool is_before(const struct recording_mark *mark, const struct recording_visit *visit)
{
	return mark->visits < visit->visits && mark->duration_ns < visit->duration_ns &&
	       mark->delay_ns <= visit->delay_ns;
}

static double period_of(double duration_ns, double delay_ns, double visits)
{
	return visits >= VISITS_LEAST ? (duration_ns - delay_ns) / visits : NAN;
}

/* From before the mark to after it, of log(period); NAN where a side has too few visits. */
static double change_at(const struct recording_experiment *experiment,
			const struct recording_visit *visit, unsigned cut)
{
	const struct recording_mark *mark = mark_of(experiment, visit->point_id, cut);

	if (!mark || !is_before(mark, visit))
		return NAN;
	double early = period_of((double)mark->duration_ns, (double)mark->delay_ns, mark->visits);
	double late =
		period_of((double)(visit->duration_ns - mark->duration_ns),
			  (double)(visit->delay_ns - mark->delay_ns), visit->visits - mark->visits);
	double change = log(late / early);
	return isfinite(change) ? change : NAN;
}

/* The changes of the first windows of series in the bin; their number. */
static size_t changes_of(const struct trials *trials, const struct recording_point *point,
			 unsigned bin, unsigned cut, double *changes)
{
	size_t count = 0;

	for (size_t i = 0; i < trials->count; i++) {
		const struct recording_experiment *experiment = trials->items[i];
		const struct recording_visit *visit = recording_visit(experiment, point->id);
		if (!visit || experiment->series_index ||
		    warm_up_bin_of(experiment->speedup) != bin)
			continue;
		double change = change_at(experiment, visit, cut);
		if (isfinite(change))
			changes[count++] = change;
	}
	return count;
}

/* The median, if it surely is no chance; else 0. Its error: of a normal distribution's median. */
static double sure_change(double *changes, size_t count, double *deviation)
{
	AUTO(reals) double *sizes = memory_new(count + 1, sizeof(*sizes));

	*deviation = 0;
	if (count < WINDOWS_LEAST)
		return 0;
	double middle = summary_median(changes, count);
	for (size_t i = 0; i < count; i++)
		sizes[i] = fabs(changes[i] - middle);
	*deviation = summary_median(sizes, count) / 0.6744897501960817;
	double error = 1.2533141373155 * *deviation / sqrt((double)count);
	double reach = student_quantile(SURE, (double)count - 1) * error;
	return fabs(middle) > fmax(CHANGE_LEAST, reach) ? middle : 0;
}

struct transients transients_find(const struct trials *trials, const struct recording_point *point)
{
	struct transients transients = {0};
	AUTO(reals) double *changes = memory_new(trials->count + 1, sizeof(*changes));

	if (point->kind == POINT_LATENCY)
		return transients;
	for (unsigned bin = 0; bin < WARM_UP_BINS; bin++) {
		for (unsigned i = 0; i < CUTS; i++) {
			double deviation;
			size_t count = changes_of(trials, point, bin, cuts[i], changes);
			double change = sure_change(changes, count, &deviation);
			if (change != 0)
				transients.cuts[bin] = cuts[i];
			if (fabs(change) > fabs(transients.change))
				transients.change = change;
			if (!bin && cuts[i] == RECORDING_PARTS / 2) {
				transients.noise = deviation;
				transients.tested = (unsigned)count;
			}
		}
	}
	return transients;
}

struct settled_part transients_cut(const struct transients *transients,
				   const struct recording_experiment *experiment,
				   const struct recording_visit *visit)
{
	struct settled_part part = {*experiment, *visit};
	unsigned cut = transients->cuts[warm_up_bin_of(experiment->speedup)];
	const struct recording_mark *mark =
		cut && !experiment->series_index ? mark_of(experiment, visit->point_id, cut) : NULL;

	if (!mark || !is_before(mark, visit) || mark->elapsed_ns >= experiment->duration_ns)
		return part;
	part.visit.visits -= mark->visits;
	part.visit.duration_ns -= mark->duration_ns;
	part.visit.delay_ns -= mark->delay_ns;
	part.experiment.waited_ns -=
		(uint64_t)((double)experiment->waited_ns * (double)mark->elapsed_ns /
			   (double)experiment->duration_ns);
	part.experiment.cpu_ns -=
		mark->cpu_ns < part.experiment.cpu_ns ? mark->cpu_ns : part.experiment.cpu_ns;
	part.experiment.start_ns += mark->elapsed_ns;
	part.experiment.duration_ns -= mark->elapsed_ns;
	part.experiment.delay_ns -= mark->delay_ns < part.experiment.delay_ns ?
					    mark->delay_ns :
					    part.experiment.delay_ns;
	part.experiment.sampled_ns -= mark->sampled_ns < part.experiment.sampled_ns ?
					      mark->sampled_ns :
					      part.experiment.sampled_ns;
	part.experiment.displaced_ns -= mark->displaced_ns < part.experiment.displaced_ns ?
						mark->displaced_ns :
						part.experiment.displaced_ns;
	return part;
}
