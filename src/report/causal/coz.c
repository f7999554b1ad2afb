/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * coz - a recording in the profile format of coz 0.2.2, for its viewer.
 *
 * Two details differ from coz's own files, so that the viewer computes the same figures. Each
 * progress point has an experiment line of its own, since its duration is from edge to edge of that
 * point. A latency point's difference (the mean number in flight) is in thousandths: the viewer
 * reads whole numbers, and uses the difference in ratios only.
 */
#include "report/formats.h"

#include "base/cleanup.h"
#include "report/display.h"

#include <math.h>

/* Tabs and newlines are separators of the format: clean text has none. */
static char *location_of(const struct recording_target *target)
{
	AUTO(text) char *file = display_clean(target->file);
	if (target->kind == TARGET_LINE && target->file && target->line)
		return text_format("%s:%u", file, target->line);
	return display_clean(target->name);
}

/* coz's speedups have steps of 0.05 and two digits; ours may have more. */
static void print_speedup(FILE *out, double speedup)
{
	bool is_plain = fabs(speedup * 100 - round(speedup * 100)) < 1e-6;
	fprintf(out, is_plain ? "\tspeedup=%.2f" : "\tspeedup=%.6f", speedup);
}

static uint64_t sample_ns_of(const struct recording *recording, int64_t run_id)
{
	const struct recording_run *run = recording_run(recording, run_id);
	return run && run->samples ? run->sampled_ns / run->samples : 0;
}

static void print_point(FILE *out, const struct recording_point *point,
			const struct recording_visit *visit)
{
	AUTO(text) char *name = display_clean(point->name);
	long long visits = llround(visit->visits);
	if (point->kind == POINT_LATENCY)
		fprintf(out,
			"latency-point\tname=%s\tarrivals=%lld\tdepartures=%lld\tdifference=%lld\n",
			name, visits, visits, llround(visit->in_flight * 1000));
	else
		fprintf(out, "throughput-point\tname=%s\tdelta=%lld\n", name, visits);
}

static void print_experiment(FILE *out, const struct recording *recording,
			     const struct recording_experiment *experiment)
{
	const struct recording_target *target = recording_target(recording, experiment->target_id);
	if (!target || target->kind == TARGET_EXTERNAL)
		return;
	AUTO(text) char *selected = location_of(target);
	uint64_t sample_ns = sample_ns_of(recording, experiment->run_id);
	for (size_t i = 0; i < experiment->visits.count; i++) {
		const struct recording_visit *visit = &experiment->visits.items[i];
		const struct recording_point *point = recording_point(recording, visit->point_id);
		if (!point || visit->visits < 0.5 || visit->duration_ns <= visit->delay_ns)
			continue;
		fprintf(out, "experiment\tselected=%s", selected);
		print_speedup(out, experiment->speedup);
		fprintf(out, "\tduration=%llu\tselected-samples=%llu\n",
			(unsigned long long)(visit->duration_ns - visit->delay_ns),
			(unsigned long long)(sample_ns ? experiment->target_ns / sample_ns : 0));
		print_point(out, point, visit);
	}
}

static void print_samples(FILE *out, const struct recording *recording, int64_t run_id)
{
	for (size_t i = 0; i < recording->samples.count; i++) {
		const struct recording_sample *sample = &recording->samples.items[i];
		const struct recording_target *target =
			recording_target(recording, sample->target_id);
		if (sample->run_id != run_id || !target)
			continue;
		AUTO(text) char *location = location_of(target);
		fprintf(out, "samples\tlocation=%s\tcount=%llu\n", location,
			(unsigned long long)sample->samples);
	}
}

void report_causal_coz(FILE *out, const struct report *report)
{
	const struct recording *recording = report->recording;
	for (size_t i = 0; i < recording->runs.count; i++) {
		const struct recording_run *run = &recording->runs.items[i];
		fprintf(out, "startup\ttime=%lld000000000\n", (long long)run->started_s);
		for (size_t j = 0; j < recording->experiments.count; j++) {
			const struct recording_experiment *experiment =
				&recording->experiments.items[j];
			if (experiment->run_id == run->id && experiment->verdict == VERDICT_COUNTED)
				print_experiment(out, recording, experiment);
		}
		fprintf(out, "runtime\ttime=%llu\n", (unsigned long long)run->wall_ns);
		print_samples(out, recording, run->id);
	}
}
