/* SPDX-License-Identifier: BSD-2-Clause */
/* hosts - as text, CSV and JSON. */
#include "report/scale/hosts.h"

#include "base/cleanup.h"
#include "report/csv.h"
#include "report/display.h"
#include "report/terminal.h"

#include <math.h>

#define NAME_COLUMNS 20
#define TIME_COLUMNS 9
#define CORES_MOST 4    /* columns of times */
#define GAIN_LEAST 0.01 /* of the job's time; a smaller one is not told in the sentence */

/* ---- text ---- */

/* Indexes of the first gains that are on other cores than the host has. */
static size_t shown_gains(const struct scale *scale, size_t *shown)
{
	const struct scale_host *first = scale->hosts.items;
	size_t count = 0;

	for (size_t i = 0; i < first->gains.count && count < CORES_MOST; i++) {
		bool is_new = false;
		for (size_t j = 0; j < scale->hosts.count; j++)
			is_new = is_new || scale->hosts.items[j].recorded_cores !=
						   first->gains.items[i].cores;
		if (is_new)
			shown[count++] = i;
	}
	return count;
}

static void print_time(FILE *out, double wall_ns)
{
	AUTO(text) char *time = display_duration(wall_ns);
	fprintf(out, "  %*s%s", (int)(TIME_COLUMNS - display_width(time)), "", time);
}

static void print_host(FILE *out, const struct scale_host *host, const size_t *shown, size_t count)
{
	AUTO(text) char *clean = display_clean(host->name);
	AUTO(text) char *name = display_fit(clean, NAME_COLUMNS);
	AUTO(text) char *cores = text_format("%u of %u", host->cores, host->machine_cores);

	fprintf(out, "  %s%*s  %8s  %6.2f  %6.2f  %5.1f %%  %5.1f %%", name,
		(int)(NAME_COLUMNS - display_width(name)), "", cores, host->mean_active,
		host->mean_running, 100 * host->serial_share, 100 * host->idle_share);
	print_time(out, host->cpu_ns);
	for (size_t i = 0; i < count; i++)
		print_time(out, host->gains.items[shown[i]].wall_ns);
	fputc('\n', out);
}

/* The shortest that the job would be with more cores on one host only; INFINITY: unknown. */
static double least_of(const struct scale_host *host, unsigned *cores)
{
	double least = INFINITY;

	for (size_t i = 0; i < host->gains.count; i++)
		if (host->gains.items[i].cores > host->recorded_cores &&
		    host->gains.items[i].wall_ns < least * (1 - GAIN_LEAST)) {
			least = host->gains.items[i].wall_ns;
			*cores = host->gains.items[i].cores;
		}
	return least;
}

static void print_limit(FILE *out, const struct scale *scale, const struct report_options *options)
{
	const struct scale_host *limit = NULL;
	double best = INFINITY;
	unsigned cores = 0;

	for (size_t i = 0; i < scale->hosts.count; i++) {
		unsigned here = 0;
		double least = least_of(&scale->hosts.items[i], &here);
		if (least < best) {
			best = least;
			cores = here;
			limit = &scale->hosts.items[i];
		}
	}
	if (!limit)
		return;
	AUTO(text) char *name = display_clean(limit->name);
	AUTO(text) char *now = display_duration(scale->own_ns);
	AUTO(text) char *then = display_duration(best);
	AUTO(text)
	char *sentence =
		best > (1 - GAIN_LEAST) * scale->own_ns ?
			text_copy("no host: more cores on one of them bring less than 1 %") :
			text_format("host %s: with %u cores there and none more elsewhere the job "
				    "takes %s instead of %s (%+.0f %%)",
				    name, cores, then, now, 100 * (best / scale->own_ns - 1));
	terminal_label(out, options, "limits");
	terminal_wrapped(out, sentence, TERMINAL_INDENT, options->columns);
}

void scale_hosts_print(FILE *out, const struct scale *scale, const struct report_options *options)
{
	size_t shown[CORES_MOST], count;

	if (!scale->hosts.count)
		return;
	count = shown_gains(scale, shown);
	terminal_style(out, options, "2");
	fputs("  host                     cores  active  on CPU    alone     idle   CPU time", out);
	for (size_t i = 0; i < count; i++) {
		AUTO(text)
		char *head =
			text_format("%u there", scale->hosts.items->gains.items[shown[i]].cores);
		fprintf(out, "  %*s", TIME_COLUMNS, head);
	}
	fputc('\n', out);
	terminal_style(out, options, NULL);
	for (size_t i = 0; i < scale->hosts.count; i++)
		print_host(out, &scale->hosts.items[i], shown, count);
	print_limit(out, scale, options);
	fputc('\n', out);
}

/* ---- exports ---- */

void scale_hosts_csv(FILE *out, const struct scale *scale)
{
	for (size_t i = 0; i < scale->hosts.count; i++) {
		const struct scale_host *host = &scale->hosts.items[i];
		for (size_t j = 0; j < host->gains.count; j++) {
			fprintf(out, "host,%u,", host->gains.items[j].cores);
			csv_write_text(out, host->name);
			fprintf(out, ",%.0f,,,%u,\r\n", host->gains.items[j].wall_ns, host->runs);
		}
	}
}

static json_t *gains_of(const struct scale_host *host)
{
	json_t *gains = json_array();

	for (size_t i = 0; i < host->gains.count; i++)
		json_array_append_new(gains,
				      json_pack("{si sI}", "cores", (int)host->gains.items[i].cores,
						"wall_ns",
						(json_int_t)llround(host->gains.items[i].wall_ns)));
	return gains;
}

static json_t *levels_of(const struct scale_host *host)
{
	json_t *levels = json_array();

	for (size_t i = 0; i < host->levels.count; i++)
		json_array_append_new(
			levels,
			json_pack("{si sI}", "threads", (int)host->levels.items[i].threads,
				  "wall_ns", (json_int_t)llround(host->levels.items[i].wall_ns)));
	return levels;
}

json_t *scale_hosts_json(const struct scale *scale)
{
	json_t *hosts = json_array();

	for (size_t i = 0; i < scale->hosts.count; i++) {
		const struct scale_host *host = &scale->hosts.items[i];
		json_array_append_new(hosts,
				      json_pack("{so si si si sI sI so so so so so so}", "name",
						json_text(host->name), "cores", (int)host->cores,
						"machine_cores", (int)host->machine_cores, "runs",
						(int)host->runs, "wall_ns",
						(json_int_t)llround(host->wall_ns), "cpu_ns",
						(json_int_t)llround(host->cpu_ns), "mean_active",
						json_number(host->mean_active), "mean_running",
						json_number(host->mean_running), "serial_share",
						json_number(host->serial_share), "idle_share",
						json_number(host->idle_share), "parallelism",
						levels_of(host), "alone_on", gains_of(host)));
	}
	return hosts;
}
