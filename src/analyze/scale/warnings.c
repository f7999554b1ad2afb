/* SPDX-License-Identifier: BSD-2-Clause */
/* warnings - checks the preconditions of predictions. */
#include "analyze/scale/parts.h"

#include <math.h>
#include <sys/wait.h>

#define FOREIGN_SHARE_MOST 0.02 /* of the core time, taken by other programs */
#define YIELDS_MANY 200.0       /* per second of CPU time */
#define GROWTH_LARGE 0.10
#define SPINNING_MUCH 0.02 /* of the samples of running threads */
#define POLLS_LEAST 50
#define SPEED_STEADY 0.05
#define WORK_STEADY 0.15   /* between the least and the most CPU time of runs on equal cores */
#define WORK_LEAST_NS 20e6 /* of CPU time; below, the start of the program dominates */

static void warn_of_threads(struct scale *scale)
{
	const struct recording_parallel *own = scale->runs.items[scale->runs.count - 1].parallel;
	unsigned here = own->most_threads;

	if (scale->adapted.count) {
		const struct recording_parallel *adapted = scale->adapted.items[0].parallel;
		*array_add(&scale->warnings) = text_format(
			"predictions assume a fixed number of threads, but the program creates as "
			"many as it sees cores (up to %u at once with %u cores, %u with %u): they "
			"are for %u threads on any number of cores",
			adapted->most_threads, adapted->cores, here, adapted->machine_cores, here);
		return;
	}
	for (size_t i = 0; i < scale->others.count; i++) {
		const struct recording_parallel *other = scale->others.items[i].parallel;
		/* The number alive at once may be chance; the number created is not. */
		if (other->most_threads == here || other->threads == own->threads)
			continue;
		*array_add(&scale->warnings) = text_format(
			"predictions may not hold: the program has up to %u threads at once on %u "
			"core%s and %u on %u; if it creates as many as there are cores, give it a "
			"fixed number",
			here, scale->cores, scale->cores == 1 ? "" : "s", other->most_threads,
			other->cores);
		return;
	}
}

static void warn_of_spinning(struct scale *scale)
{
	double yields = 0, cpu = 0;

	for (size_t i = 0; i < scale->runs.count; i++) {
		yields += (double)scale->runs.items[i].parallel->yields;
		cpu += scale->runs.items[i].cpu_ns;
	}
	if (cpu > 0 && yields / cpu * 1e9 > YIELDS_MANY)
		*array_add(&scale->warnings) = text_format(
			"predictions are too long or too short: threads spin while they wait (%.0f "
			"calls of sched_yield per second of CPU time), which counts as work",
			yields / cpu * 1e9);
	if (scale->has_growth && scale->growth > GROWTH_LARGE && !scale->hosts.count)
		*array_add(&scale->warnings) = text_format(
			"`formula` is too optimistic: CPU time grows by %.0f %% for each further "
			"thread that runs at once, by spinning, shared caches or memory, or cores "
			"that are hardware threads of one",
			100 * scale->growth);
}

/* Threads sampled in a loop around a pause instruction, in the recorded runs. */
static void warn_of_loops(struct scale *scale)
{
	double looks = 0, spinning = 0;

	for (size_t i = 0; i < scale->recorded.count; i++) {
		looks += (double)scale->recorded.items[i].conditions->inspections;
		spinning += (double)scale->recorded.items[i].conditions->spinning;
	}
	if (looks > POLLS_LEAST && spinning / looks > SPINNING_MUCH)
		*array_add(&scale->warnings) = text_format(
			"predictions may be too long or too short: in %.0f %% of %.0f samples "
			"running threads waited in a loop (user-level spinning), which counts as "
			"work; other numbers of cores may have more or less of it",
			100 * spinning / looks, looks);
}

static void add_run_speed(const struct scale_run *run, double *least, double *most,
			  double *together)
{
	if (!run->conditions || run->conditions->alone_speed <= 0)
		return;
	double alone = run->conditions->alone_speed;
	*least = fmin(*least, alone);
	*most = fmax(*most, alone);
	/* The fastest of all runs was disturbed least. */
	*together = fmax(*together, run->conditions->together_speed / alone);
}

/* Clock rates, shared cores and other reasons for different speeds. */
static void warn_of_speed(struct scale *scale)
{
	double least = INFINITY, most = 0, together = 0;

	for (size_t i = 0; i < scale->runs.count; i++)
		add_run_speed(&scale->runs.items[i], &least, &most, &together);
	for (size_t i = 0; i < scale->others.count; i++)
		add_run_speed(&scale->others.items[i], &least, &most, &together);
	if (most <= 0)
		return;
	if (most / least - 1 > SPEED_STEADY)
		*array_add(&scale->warnings) = text_format(
			"runs differ by %.0f %%: the cores' speed changed by as much between them "
			"(clock rate, or other work below the hypervisor)",
			100 * (most / least - 1));
	if (together < 1 - SPEED_STEADY && !scale->hosts.count)
		*array_add(&scale->warnings) = text_format(
			"`formula` is too optimistic: each of this machine's %u cores is %.0f %% "
			"slower when all are busy (shared clock rate, or hardware threads of one "
			"core), which `formula` does not know",
			scale->machine_cores, 100 * (1 - together));
}

/* A difference between equal runs is one between prediction and truth, too. */
static void warn_of_work(struct scale *scale)
{
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < scale->runs.count; i++) {
		least = fmin(least, scale->runs.items[i].cpu_ns);
		most = fmax(most, scale->runs.items[i].cpu_ns);
	}
	if (least > WORK_LEAST_NS && most / least - 1 > WORK_STEADY)
		*array_add(&scale->warnings) = text_format(
			"runs on %u core%s differ by %.0f %% in CPU time, and no prediction is "
			"better than that: the work varies, or other programs share caches and "
			"memory",
			scale->cores, scale->cores == 1 ? "" : "s", 100 * (most / least - 1));
}

static void warn_of_cores(struct scale *scale)
{
	unsigned most = 0, reached = scale->level_reached;

	for (size_t i = 0; i < scale->predictions.count; i++)
		if (scale->predictions.items[i].cores > most)
			most = scale->predictions.items[i].cores;
	for (size_t i = 0; i < scale->hosts.count; i++) {
		const struct level_list *levels = &scale->hosts.items[i].levels;
		if (levels->count && levels->items[levels->count - 1].threads > reached)
			reached = levels->items[levels->count - 1].threads;
	}
	if (reached && most > reached)
		*array_add(&scale->warnings) = text_format(
			"at most %u thread%s of the program %s ever active at once%s: it cannot "
			"use more cores",
			reached, reached == 1 ? "" : "s", reached == 1 ? "is" : "are",
			scale->hosts.count ? " on a host" : "");
}

static void warn_of_others(struct scale *scale)
{
	double core = scale->wall_ns * scale->cores;

	if (core <= 0)
		return;
	double taken = scale->displaced_ns / core, stolen = scale->stolen_ns / core;
	if (taken > FOREIGN_SHARE_MOST)
		*array_add(&scale->warnings) = text_format(
			"other programs took %.1f %% of the cores' time; all models but `paper` "
			"leave it out",
			100 * taken);
	if (stolen > FOREIGN_SHARE_MOST)
		*array_add(&scale->warnings) = text_format(
			"intervals are wider: the hypervisor took %.1f %% of the cores' time from "
			"the program; all models but `paper` leave it out",
			100 * stolen);
}

/* A killed run counts: the program may always end that way. */
static void warn_of_ends(struct scale *scale)
{
	unsigned killed = 0;
	int signal = 0;

	for (size_t i = 0; i < scale->runs.count; i++) {
		int status = scale->runs.items[i].run->exit_status;
		if (status < 0 || !WIFSIGNALED(status))
			continue;
		signal = WTERMSIG(status);
		killed++;
	}
	if (killed)
		*array_add(&scale->warnings) = text_format(
			"times and predictions may be too short: signal %d ended the program in %u "
			"of %zu runs",
			signal, killed, scale->runs.count);
}

static void warn_of_losses(struct scale *scale)
{
	uint64_t escapes = 0, overwritten = 0, switches = 0;

	for (size_t i = 0; i < scale->runs.count; i++) {
		escapes += scale->runs.items[i].parallel->escapes;
		switches += scale->runs.items[i].parallel->switches;
		overwritten += scale->runs.items[i].parallel->overwritten;
	}
	if (escapes * 100 > switches)
		*array_add(&scale->warnings) = text_format(
			"times may be wrong: the program chose cores by itself, and ran on others "
			"than its %u (%.0f %% of its switches)",
			scale->cores, 100.0 * (double)escapes / (double)switches);
	if (overwritten)
		*array_add(&scale->warnings) = text_format(
			"parallelism may be wrong: %llu threads were not counted, as more were "
			"alive "
			"at once than the engine has room for",
			(unsigned long long)overwritten);
}

void scale_add_warnings(struct scale *scale)
{
	warn_of_threads(scale);
	warn_of_spinning(scale);
	warn_of_loops(scale);
	warn_of_speed(scale);
	warn_of_work(scale);
	warn_of_others(scale);
	warn_of_ends(scale);
	warn_of_losses(scale);
	warn_of_cores(scale);
}
