/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * csv - a causal profile as a table (RFC 4180).
 *
 * A row for each measured point of each curve; a target without one has a row without numbers.
 * Fractions are fractions, with the digits of the JSON.
 */
#include "report/formats.h"

#include "report/csv.h"

#include <math.h>

static const char heading[] = "target,kind,function,file,line,object,share,progress,progress_kind,"
			      "speedup,program_speedup,low,high,experiments,slope,slope_low,"
			      "slope_high,contention,assumed";

static void print_real(FILE *out, double value)
{
	if (isfinite(value))
		fprintf(out, ",%.6g", value);
	else
		fputc(',', out);
}

static void print_target(FILE *out, const struct causal_target *target)
{
	const struct recording_target *what = target->target;
	csv_write_text(out, what->name);
	fprintf(out, ",%s,", target_kind_name(what->kind));
	csv_write_text(out, what->function);
	fputc(',', out);
	csv_write_text(out, what->file);
	if (what->line)
		fprintf(out, ",%u,", what->line);
	else
		fputs(",,", out);
	csv_write_text(out, what->object);
	print_real(out, target->share);
}

static void print_point(FILE *out, const struct causal_effect *effect,
			const struct effect_point *point)
{
	double slope = effect->slope.windows ? effect->slope.slope : NAN;
	fputc(',', out);
	csv_write_text(out, effect->point->name);
	fprintf(out, ",%s", point_kind_name(effect->point->kind));
	print_real(out, point->speedup);
	print_real(out, point->gain);
	print_real(out, point->low);
	print_real(out, point->high);
	fprintf(out, ",%u", point->windows);
	print_real(out, slope);
	print_real(out, effect->slope.windows ? effect->slope.low : NAN);
	print_real(out, effect->slope.windows ? effect->slope.high : NAN);
	fputs(effect->is_contention ? ",true" : ",false", out);
}

static void end_row(FILE *out, const struct causal_target *target)
{
	fputc(',', out);
	csv_write_text(out, target->target->assumed);
	fputs("\r\n", out);
}

static void print_effect(FILE *out, const struct causal_target *target,
			 const struct causal_effect *effect)
{
	for (size_t i = 0; i < effect->count; i++) {
		if (effect->points[i].speedup <= 0)
			continue;
		print_target(out, target);
		print_point(out, effect, &effect->points[i]);
		end_row(out, target);
	}
}

void report_causal_csv(FILE *out, const struct report *report)
{
	const struct causal *causal = report->causal;
	fprintf(out, "%s\r\n", heading);
	for (size_t i = 0; i < causal->count; i++) {
		const struct causal_target *target = &causal->targets[i];
		for (size_t j = 0; j < target->count; j++)
			print_effect(out, target, &target->effects[j]);
		if (!target->count) {
			print_target(out, target);
			fputs(",,,,,,,,,,,", out);
			end_row(out, target);
		}
	}
}
