/* SPDX-License-Identifier: BSD-2-Clause */
/* json - values that may be unknown, and the parts that all reports share. */
#include "report/json.h"

#include "base/cleanup.h"
#include "base/utf8.h"
#include "report/display.h"

#include <math.h>

/* More than our fractions have, and few enough to be equal on all machines. */
#define DIGITS 6

void json_write(FILE *out, json_t *json, size_t flags)
{
	json_dumpf(json, out, flags | JSON_REAL_PRECISION(DIGITS));
	json_decref(json);
}

void json_write_report(FILE *out, json_t *report)
{
	json_write(out, report, JSON_INDENT(1));
	fputc('\n', out);
}

char *json_report_part(json_t *part)
{
	char *text =
		json_dumps(part, JSON_INDENT(1) | JSON_ENCODE_ANY | JSON_REAL_PRECISION(DIGITS));

	json_decref(part);
	return text;
}

json_t *json_text(const char *text)
{
	AUTO(text) char *valid = utf8_valid(text);
	return valid ? json_string(valid) : json_null();
}

json_t *json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_count(uint64_t value)
{
	return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

json_t *json_status_of(const struct recording_run *run)
{
	int status = run_exit_status(run);
	return status < 0 ? json_null() : json_integer(status);
}

json_t *json_command_of(const struct recording_run *run)
{
	AUTO(text) char *valid = run ? utf8_valid(run->command) : NULL;
	json_t *command = valid ? json_loads(valid, 0, NULL) : NULL;
	if (json_is_array(command))
		return command;
	json_decref(command);
	return json_array();
}

json_t *json_program_of(const struct run_totals *totals)
{
	const struct recording_run *run = totals->last;
	return json_pack("{so so so so so so}", "command", json_command_of(run), "commit",
			 json_text(run ? run->commit : NULL), "exit_status", json_status_of(run),
			 "wall_ns", json_count(run ? run->wall_ns : 0), "delay_ns",
			 json_count(run ? run->delay_ns : 0), "started_s",
			 run ? json_integer(run->started_s) : json_null());
}

json_t *json_host_of(const struct recording_run *run)
{
	return json_pack("{so so}", "name", json_text(run ? run->host : NULL), "kernel",
			 json_text(run ? run->kernel : NULL));
}

json_t *json_sampling_of(const struct run_totals *totals)
{
	return json_pack("{so so so so so so so}", "period_ns",
			 json_count(totals->last ? totals->last->period_ns : 0), "samples",
			 json_count(totals->samples), "lost", json_count(totals->lost),
			 "unwound_badly", json_count(totals->unwound_badly), "interrupt_share",
			 json_number(totals->interrupt_share), "capped", json_count(totals->capped),
			 "paused_ns", json_count(totals->paused_ns));
}

json_t *json_overhead_of(const struct run_totals *totals)
{
	return json_pack("{so so}", "kernel_share", json_number(totals->kernel_share),
			 "engine_share", json_number(totals->engine_share));
}

json_t *json_warnings(const struct warnings *warnings)
{
	json_t *array = json_array();
	for (size_t i = 0; i < warnings->count; i++)
		json_array_append_new(array, json_text(warnings->items[i]));
	return array;
}
