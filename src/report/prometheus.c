/* SPDX-License-Identifier: BSD-2-Clause */
/* prometheus - names, labels and escapes. */
#include "report/prometheus.h"

#include "base/cleanup.h"
#include "report/display.h"

#include <math.h>

void prometheus_begin(FILE *out, const char *name, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

/* Clean text has no line ends. */
static void put_label(FILE *out, const char *name, const char *value)
{
	AUTO(text) char *clean = display_clean(value);

	fprintf(out, "%s=\"", name);
	for (const char *at = clean; *at; at++) {
		if (*at == '"' || *at == '\\')
			fputc('\\', out);
		fputc(*at, out);
	}
	fputc('"', out);
}

void prometheus_put(FILE *out, const char *name, const char *const *labels, double value)
{
	const char *before = "{";

	if (!isfinite(value))
		return;
	fputs(name, out);
	for (; labels && labels[0]; labels += 2) {
		if (!labels[1])
			continue;
		fputs(before, out);
		put_label(out, labels[0], labels[1]);
		before = ",";
	}
	fprintf(out, "%s %.15g\n", *before == ',' ? "}" : "", value);
}

static void put_one(FILE *out, const char *name, const char *help, double value)
{
	if (!isfinite(value))
		return;
	prometheus_begin(out, name, help);
	prometheus_put(out, name, NULL, value);
}

void prometheus_put_run(FILE *out, const struct run_totals *totals)
{
	if (!totals->last)
		return;
	put_one(out, "lever_recording_start_timestamp_seconds",
		"When the last recording began, as Unix time.", (double)totals->last->started_s);
	put_one(out, "lever_recorded_wall_seconds", "Wall time of all recordings.",
		(double)totals->wall_ns / 1e9);
	put_one(out, "lever_samples", "Samples taken.", (double)totals->samples);
	put_one(out, "lever_samples_lost", "Samples lost in a full ring.", (double)totals->lost);
	put_one(out, "lever_engine_cpu_ratio", "Time of the recording process, of one core.",
		totals->engine_share);
	put_one(out, "lever_kernel_cpu_ratio",
		"Time of sampling interrupts and BPF programs, of one core.", totals->kernel_share);
}
