// SPDX-License-Identifier: BSD-2-Clause
/*
 * simulate_hosts - predictions for jobs over several hosts, compared with the truth: error and
 * coverage against the delay of messages and the number of hosts, for each rule of arrival.
 */
#include "hosts_experiment.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTS_MOST 8
#define INTERVAL 1.96

static const char usage[] =
	"usage: simulate_hosts [--pattern NAME] [--hosts N,...] [--delay MICROSECONDS,...]\n"
	"                      [--rule external|task|told|stamp] [--report MICROSECONDS]\n"
	"                      [--loss PERCENT] [--cores N] [--seed FIRST] [--jobs N]\n"
	"                      [--rounds N] [--lag MICROSECONDS] [--period MICROSECONDS]\n"
	"                      [--list]\n";

static const char *const rule_names[] = {"external", "task", "told", "stamp"};
#define RULES 4

struct choices {
	const char *pattern;
	double delays_us[LISTS_MOST], hosts[LISTS_MOST];
	uint32_t delay_count, host_count, jobs, rounds, cores;
	int rule; /* below 0: all */
	uint64_t first_seed;
	double report_us, handling_us, loss, period_us;
	bool lists;
};

struct cell {
	double errors, biases, worst, lag_ns, reports;
	uint32_t points, held, jobs;
};

/* ---- the table ---- */

static struct hosts_settings settings_of(const struct choices *choices, double delay_us,
					 uint32_t hosts, uint64_t seed)
{
	struct hosts_settings settings = hosts_usual(hosts, seed);

	settings.machine.cores = choices->cores;
	settings.delay_ns = (uint64_t)(delay_us * 1e3);
	settings.report_ns = (uint64_t)(choices->report_us * 1e3);
	settings.handling_ns = (uint64_t)(choices->handling_us * 1e3);
	settings.loss = choices->loss;
	if (choices->period_us > 0)
		settings.engine.period_ns = (uint32_t)(choices->period_us * 1e3);
	return settings;
}

static void cell_add(struct cell *cell, const struct hosts_outcome *truth,
		     const struct hosts_outcome *prediction)
{
	for (uint32_t i = 0; i < EXPERIMENT_CUTS; i++) {
		double error = 100 * (prediction->gain[i] - truth->gain[i]);
		double half = 100 * INTERVAL * hypot(prediction->error[i], truth->error[i]);
		cell->points++;
		cell->errors += fabs(error);
		cell->biases += error;
		cell->worst = fabs(error) > fabs(cell->worst) ? error : cell->worst;
		cell->held += fabs(error) <= half + 2; /* what one host errs by */
	}
	cell->lag_ns += prediction->lag_ns;
	cell->reports += prediction->reports_per_s;
	cell->jobs++;
}

static void outcome_list(const struct job *job, uint64_t seed, int rule,
			 const struct hosts_outcome *truth, const struct hosts_outcome *prediction)
{
	printf("  %-10s seed %-3u %-8s ", job->name, (unsigned)seed, rule_names[rule]);
	for (uint32_t i = 0; i < EXPERIMENT_CUTS; i++)
		printf("  %5.1f for %5.1f", 100 * prediction->gain[i], 100 * truth->gain[i]);
	printf("  +-%.1f  G apart %.0f us\n", 100 * INTERVAL * prediction->error[1],
	       prediction->lag_ns / 1e3);
}

static void job_run(struct hosts *hosts, const struct choices *choices, const struct job *job,
		    struct hosts_settings settings, struct cell *cells)
{
	struct hosts_outcome truth, prediction;
	uint64_t window;

	hosts_find_truth(hosts, &settings, job, choices->rounds, &window, &truth);
	for (int rule = 0; rule < RULES && truth.is_valid; rule++) {
		if (choices->rule >= 0 && choices->rule != rule)
			continue;
		settings.engine.arrival = (enum engine_arrival)rule;
		hosts_predict(hosts, &settings, job, choices->rounds, window, &prediction);
		if (prediction.is_valid)
			cell_add(&cells[rule], &truth, &prediction);
		if (choices->lists)
			outcome_list(job, settings.seed, rule, &truth, &prediction);
	}
}

static void row_print(double delay_us, uint32_t hosts, const struct cell *cells)
{
	printf("%8.0f %6u ", delay_us, hosts);
	for (int rule = 0; rule < RULES; rule++)
		if (cells[rule].points)
			printf(" | %-8s %5.1f %+6.1f %+6.1f %4u %%", rule_names[rule],
			       cells[rule].errors / cells[rule].points,
			       cells[rule].biases / cells[rule].points, cells[rule].worst,
			       100 * cells[rule].held / cells[rule].points);
	for (int rule = RULES - 1; rule >= 0; rule--)
		if (cells[rule].jobs) {
			printf(" | %6.0f us %7.0f /s\n",
			       cells[rule].lag_ns / cells[rule].jobs / 1e3,
			       cells[rule].reports / cells[rule].jobs);
			break;
		}
	fflush(stdout);
}

static void table_print(const struct choices *choices)
{
	static struct job job;
	struct hosts *hosts = hosts_new();

	printf("delay us  hosts   rule: mean error, bias, worst in points; coverage | copies of G "
	       "apart, reports\n");
	for (uint32_t d = 0; d < choices->delay_count; d++)
		for (uint32_t h = 0; h < choices->host_count; h++) {
			struct cell cells[RULES] = {0};
			uint32_t count = (uint32_t)choices->hosts[h];
			for (uint32_t p = 0; p < job_pattern_count; p++) {
				const struct job_pattern *pattern = &job_patterns[p];
				if (choices->pattern && strcmp(choices->pattern, pattern->name))
					continue;
				for (uint32_t i = 0; i < choices->jobs; i++) {
					uint64_t seed = choices->first_seed + i;
					job_build(pattern, seed, count, &job);
					job_run(hosts, choices, &job,
						settings_of(choices, choices->delays_us[d], count,
							    seed),
						cells);
				}
			}
			row_print(choices->delays_us[d], count, cells);
		}
	hosts_free(hosts);
}

/* ---- options ---- */

static void wrong_usage(const char *what)
{
	fprintf(stderr, "simulate_hosts: %s\n%s", what, usage);
	exit(2);
}

static void list_read(double *list, uint32_t *count, char *text, double least, double most)
{
	*count = 0;
	for (char *number = strtok(text, ","); number; number = strtok(NULL, ",")) {
		double value = atof(number);
		if (value < least || value > most || *count == LISTS_MOST)
			wrong_usage("a number is out of range, or there are more than 8");
		list[(*count)++] = value;
	}
}

static int rule_read(const char *name)
{
	for (int rule = 0; rule < RULES; rule++)
		if (!strcmp(name, rule_names[rule]))
			return rule;
	wrong_usage("unknown rule");
	return -1;
}

static void option_take(struct choices *choices, int option)
{
	switch (option) {
	case 'p':
		choices->pattern = optarg;
		break;
	case 'h':
		list_read(choices->hosts, &choices->host_count, optarg, 2, HOSTS_MOST);
		break;
	case 'd':
		list_read(choices->delays_us, &choices->delay_count, optarg, 1, 100000);
		break;
	case 'r':
		choices->rule = rule_read(optarg);
		break;
	case 'R':
		choices->report_us = atof(optarg);
		break;
	case 'L':
		choices->loss = atof(optarg) / 100;
		break;
	case 'c':
		choices->cores = (uint32_t)atoi(optarg);
		break;
	case 's':
		choices->first_seed = strtoul(optarg, NULL, 10);
		break;
	case 'n':
		choices->jobs = (uint32_t)atoi(optarg);
		break;
	case 'P':
		choices->period_us = atof(optarg);
		break;
	case 'o':
		choices->rounds = (uint32_t)atoi(optarg);
		break;
	case 'g':
		choices->handling_us = atof(optarg);
		break;
	case 'l':
		choices->lists = true;
		break;
	default:
		wrong_usage("unknown option");
	}
}

int main(int count, char **arguments)
{
	static const struct option options[] = {
		{"pattern", required_argument, NULL, 'p'}, {"hosts", required_argument, NULL, 'h'},
		{"delay", required_argument, NULL, 'd'},   {"rule", required_argument, NULL, 'r'},
		{"report", required_argument, NULL, 'R'},  {"loss", required_argument, NULL, 'L'},
		{"cores", required_argument, NULL, 'c'},   {"seed", required_argument, NULL, 's'},
		{"jobs", required_argument, NULL, 'n'},    {"rounds", required_argument, NULL, 'o'},
		{"lag", required_argument, NULL, 'g'},     {"period", required_argument, NULL, 'P'},
		{"list", no_argument, NULL, 'l'},          {0}};
	struct choices choices = {.delays_us = {20, 200, 1000, 5000},
				  .delay_count = 4,
				  .hosts = {2, 4, 16},
				  .host_count = 3,
				  .jobs = 4,
				  .rounds = 8,
				  .cores = 2,
				  .rule = -1,
				  .first_seed = 1,
				  .report_us = 20000,
				  .handling_us = 100};
	int option;

	while ((option = getopt_long(count, arguments, "", options, NULL)) != -1)
		option_take(&choices, option);
	if (optind < count)
		wrong_usage("unexpected argument");
	table_print(&choices);
	return 0;
}
