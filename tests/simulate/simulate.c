// SPDX-License-Identifier: BSD-2-Clause
/*
 * simulate - predictions of both engines for simulated programs, compared with the truth.
 *
 * README.md tells what is simulated, and what the table shows.
 */
#include "program_text.h"
#include "table.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: simulate [--pattern NAME] [--cores N,...] [--engine kernel|runtime] [--seed "
	"FIRST]\n"
	"                [--programs N] [--rounds N] [--foreign TASKS] [--virtual] [--list]\n"
	"                [--file PROGRAM] [--variant RULE]... [--uncharged MICROSECONDS]\n"
	"                [--period MICROSECONDS] [--windows MILLISECONDS]\n"
	"       simulate --trace PERCENT --pattern NAME|--file PROGRAM [--cores N] [--engine E]\n"
	"                [--seed N] [--milliseconds N]\n";

struct choices {
	struct table_settings table;
	double trace_speedup; /* below 0: no trace */
	double milliseconds;
	struct program program; /* of --file */
};

static void wrong_usage(const char *what)
{
	fprintf(stderr, "simulate: %s\n%s", what, usage);
	exit(2);
}

static void cores_read(struct table_settings *table, char *text)
{
	table->core_count_count = 0;
	for (char *number = strtok(text, ","); number; number = strtok(NULL, ",")) {
		int count = atoi(number);
		if (count < 1 || count > MACHINE_CORES_MOST ||
		    table->core_count_count == TABLE_CORES_MOST)
			wrong_usage("--cores takes up to 8 numbers of 1 to 1024");
		table->core_counts[table->core_count_count++] = (uint32_t)count;
	}
}

static void program_open(struct choices *choices, const char *path)
{
	FILE *file = fopen(path, "r");

	if (!file || program_read(file, &choices->program))
		wrong_usage("--file takes a program as program_text.h has it");
	fclose(file);
	choices->table.program = &choices->program;
}

static void variant_read(struct engine_variants *variants, const char *name)
{
	if (!strcmp(name, "raises-by-charge"))
		variants->raises_by_charge = true;
	else if (!strcmp(name, "adds-charges"))
		variants->adds_charges = true;
	else if (!strcmp(name, "credits-to-wake"))
		variants->credits_to_wake = true;
	else if (!strcmp(name, "charges-no-way"))
		variants->charges_no_way = true;
	else if (!strcmp(name, "wakes-before"))
		variants->wakes_before = true;
	else
		wrong_usage("unknown rule for --variant; README.md lists them");
}

static enum engine_kind engine_read(const char *name)
{
	if (strcmp(name, "kernel") && strcmp(name, "runtime"))
		wrong_usage("--engine takes kernel or runtime");
	return strcmp(name, "kernel") ? ENGINE_RUNTIME : ENGINE_KERNEL;
}

static void option_take(struct choices *choices, int option)
{
	struct table_settings *table = &choices->table;

	switch (option) {
	case 'p':
		table->pattern = optarg;
		break;
	case 'c':
		cores_read(table, optarg);
		break;
	case 'e':
		table->engine = engine_read(optarg);
		break;
	case 's':
		table->first_seed = strtoul(optarg, NULL, 10);
		break;
	case 'n':
		table->programs = (uint32_t)atoi(optarg);
		break;
	case 'r':
		table->rounds = (uint32_t)atoi(optarg);
		break;
	case 'f':
		table->foreign_tasks = (uint32_t)atoi(optarg);
		break;
	case 'l':
		table->lists_programs = true;
		break;
	case 'V':
		variant_read(&table->variants, optarg);
		break;
	case 'u':
		table->uncharged_ns = (uint32_t)(1000 * atof(optarg));
		break;
	case 'P':
		table->fixed_period_ns = (uint32_t)(1000 * atof(optarg));
		break;
	case 'w':
		table->window_ns = (uint64_t)(1e6 * atof(optarg));
		break;
	case 'v':
		table->is_virtual = true;
		break;
	case 'i':
		program_open(choices, optarg);
		break;
	case 't':
		choices->trace_speedup = atof(optarg) / 100;
		break;
	case 'm':
		choices->milliseconds = atof(optarg);
		break;
	default:
		wrong_usage("unknown option");
	}
}

static void options_read(struct choices *choices, int count, char **arguments)
{
	static const struct option options[] = {{"pattern", required_argument, NULL, 'p'},
						{"cores", required_argument, NULL, 'c'},
						{"engine", required_argument, NULL, 'e'},
						{"seed", required_argument, NULL, 's'},
						{"programs", required_argument, NULL, 'n'},
						{"rounds", required_argument, NULL, 'r'},
						{"foreign", required_argument, NULL, 'f'},
						{"list", no_argument, NULL, 'l'},
						{"trace", required_argument, NULL, 't'},
						{"variant", required_argument, NULL, 'V'},
						{"uncharged", required_argument, NULL, 'u'},
						{"period", required_argument, NULL, 'P'},
						{"windows", required_argument, NULL, 'w'},
						{"virtual", no_argument, NULL, 'v'},
						{"file", required_argument, NULL, 'i'},
						{"milliseconds", required_argument, NULL, 'm'},
						{0}};
	int option;

	while ((option = getopt_long(count, arguments, "", options, NULL)) != -1)
		option_take(choices, option);
	if (optind < count)
		wrong_usage("unexpected argument");
	const struct table_settings *table = &choices->table;
	if (table->pattern && !pattern_find(table->pattern))
		wrong_usage("unknown pattern");
	if (choices->trace_speedup >= 0 && !table->pattern && !table->program)
		wrong_usage("--trace needs --pattern or --file");
}

static void trace(const struct choices *choices)
{
	static struct machine machine;
	const struct table_settings *table = &choices->table;
	struct experiment_settings settings =
		experiment_usual(table->core_counts[0],
				 table->engine ? table->engine : ENGINE_KERNEL, table->first_seed);
	struct program program;

	settings.engine.variants = table->variants;
	settings.engine.uncharged_ns = table->uncharged_ns;
	settings.fixed_period_ns = table->fixed_period_ns;
	if (table->is_virtual)
		experiment_on_virtual_machine(&settings);
	if (table->program)
		program = *table->program;
	else
		pattern_program(pattern_find(table->pattern), table->first_seed,
				table->core_counts[0], &program);
	pattern_add_foreign(&program, table->foreign_tasks);
	program_print(&program, stdout);
	printf("times in us; G since the window's warm-up began\n");
	experiment_trace(&machine, &program, &settings, choices->trace_speedup,
			 (uint64_t)(choices->milliseconds * 1e6));
}

int main(int count, char **arguments)
{
	struct choices choices = {
		.table = {.first_seed = 1,
			  .programs = 10,
			  .rounds = 12,
			  .core_counts = {1, 2, 4, 8, 16, 64},
			  .core_count_count = 6},
		.trace_speedup = -1,
		.milliseconds = 5,
	};

	options_read(&choices, count, arguments);
	if (choices.trace_speedup >= 0)
		trace(&choices);
	else
		table_print(&choices.table);
	return 0;
}
