/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * csv - parallelism and predictions as one table (RFC 4180). Its first column is the kind of the
 * row: `level` (wall time with `number` active threads), `prediction` (on `number` cores, by
 * `model`, with its interval; `best` is 1 for the model to believe), `measured` (on `number` cores;
 * least and most of the runs) or `host` (predicted, with `number` cores on that host only; `model`
 * is its name).
 */
#include "report/formats.h"

#include "report/scale/hosts.h"

void report_scale_csv(FILE *out, const struct report *report)
{
	const struct scale *scale = report->scale;
	fputs("row,number,model,wall_ns,low_ns,high_ns,runs,best\r\n", out);
	for (size_t i = 0; i < scale->levels.count; i++)
		fprintf(out, "level,%u,,%.0f,,,%zu,\r\n", scale->levels.items[i].threads,
			scale->levels.items[i].wall_ns, scale->runs.count);
	for (size_t i = 0; i < scale->predictions.count; i++) {
		const struct scale_prediction *prediction = &scale->predictions.items[i];
		fprintf(out, "prediction,%u,%s,%.0f,%.0f,%.0f,%u,%d\r\n", prediction->cores,
			scale_model_name(prediction->model), prediction->wall_ns,
			prediction->low_ns, prediction->high_ns, prediction->runs,
			prediction->model == scale_best_model(scale, prediction->cores));
	}
	for (size_t i = 0; i < scale->measured.count; i++) {
		const struct scale_measured *measured = &scale->measured.items[i];
		fprintf(out, "measured,%u,,%.0f,%.0f,%.0f,%u,\r\n", measured->cores,
			measured->wall_ns, measured->least_ns, measured->most_ns, measured->runs);
	}
	scale_hosts_csv(out, scale);
}
