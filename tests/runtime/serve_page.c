/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve_page - starts a program with the files of the runtime library linked into it, and serves it
 * a page as the engine does: mappings, targets, speedups, generations, heartbeats. So those files
 * run under the sanitizers in a program that is really sampled and paused. Prints TAP.
 *
 *	serve_page SENTENCE PROGRAM [ARGUMENT...]
 *
 * The settings change 50 times a second, in a fixed order. Nothing is measured here.
 */
#include "wire/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS 20000000
#define BLOCK_BYTES 256 /* of code, in turn in the target and not */
#define RUNS_MOST 20    /* of a program that mostly waits, until it had a tick and a pause */

static struct runtime_page *page;
static char program[4096];

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void give_up(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- the page ---- */

static void make_page(void)
{
	char variable[64];
	int memory = memfd_create("serve_page", MFD_CLOEXEC);

	if (memory < 0 || ftruncate(memory, sizeof(*page)))
		give_up("cannot make a page");
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	if (page == MAP_FAILED)
		give_up("cannot map the page");
	page->magic = RUNTIME_MAGIC;
	page->version = RUNTIME_VERSION;
	page->size_bytes = sizeof(*page);
	page->engine_pid = (uint32_t)getpid();
	page->cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	page->settings.enable_waits = 1;
	page->settings.enable_classes =
		WAIT_CLASS_BIT(WAIT_CLASS_LOCK) | WAIT_CLASS_BIT(WAIT_CLASS_OTHER);
	page->settings.delay.period_ns = 500000;
	page->settings.delay.generation = 1;
	page->settings.delay.heartbeat_ns = now();
	snprintf(variable, sizeof(variable), "/proc/%d/fd/%d", (int)getpid(), memory);
	setenv(RUNTIME_VARIABLE, variable, 1);
	setenv("LEVER_LISTEN", "1", 1);
}

static void post_ranges(unsigned bank, uint64_t start, uint64_t end, uint64_t step)
{
	uint32_t count = 0;

	for (; start < end && count < WIRE_RANGES_MOST; start += step)
		page->ranges[bank][count++] = (struct wire_range){.object = 1,
								  .value = 1u << (start / step % 4),
								  .start = start,
								  .end = start + BLOCK_BYTES};
	page->settings.counts[bank] = count;
}

/* A line of /proc/PID/maps; the program's own file is object 1, which is what is in scope. */
static void add_mapping(struct runtime_process *process, const char *line)
{
	struct runtime_mapping mapping;
	unsigned long long start, end, offset;
	char flags[5];
	int path = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %*s %*s %n", &start, &end, flags, &offset, &path) <
		    4 ||
	    flags[2] != 'x' || process->mapping_count == RUNTIME_MAPPINGS_MOST)
		return;
	bool is_own = path && !strncmp(line + path, program, strlen(program));
	mapping = (struct runtime_mapping){.start = start,
					   .end = end,
					   .offset = offset,
					   .object = is_own ? 1 : 2};
	process->mappings[process->mapping_count++] = mapping;
	if (is_own) {
		post_ranges(WIRE_BANK_TARGET, offset, offset + end - start, 2 * BLOCK_BYTES);
		post_ranges(WIRE_BANK_TARGET + 1, offset, offset + end - start, BLOCK_BYTES);
		post_ranges(WIRE_BANK_SCOPE, offset, offset + end - start, BLOCK_BYTES);
	}
}

static void read_mappings(struct runtime_process *process)
{
	char path[64], *line = NULL;
	size_t room = 0;

	process->wants = 0;
	snprintf(path, sizeof(path), "/proc/%u/maps", process->pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return; /* it has ended */
	__atomic_add_fetch(&process->sequence, 1, __ATOMIC_SEQ_CST);
	process->mapped_image = process->image;
	process->mapping_count = 0;
	while (getline(&line, &room, file) > 0)
		add_mapping(process, line);
	__atomic_add_fetch(&process->sequence, 1, __ATOMIC_SEQ_CST);
	free(line);
	fclose(file);
}

/* What the engine does between windows, and in them. */
static void serve(unsigned step)
{
	static const uint32_t classes[] = {0, 0, WAIT_CLASS_BIT(WAIT_CLASS_LOCK),
					   WAIT_CLASS_BIT(WAIT_CLASS_OTHER)};
	struct wire_settings *settings = &page->settings;

	__atomic_store_n(&settings->delay.heartbeat_ns, now(), __ATOMIC_RELEASE);
	settings->classes = classes[step / 3 % 4];
	settings->class_levels = settings->target_levels = 1;
	settings->code_levels = settings->classes ? ~1u : ~0u;
	settings->target_bank = step / 6 % 2; /* half of the code, or all of it */
	settings->window = step % 5 ? step : 0;
	settings->enable_callers = step % 7 == 0;
	for (unsigned i = 0; i < DELAY_LEVELS; i++)
		__atomic_store_n(&settings->delay.speedups[i],
				 (step + i) % 3 * DELAY_SPEEDUP_ONE / 2, __ATOMIC_RELEASE);
	if (step % 4 == 0) {
		settings->delay.generation_delay_ns = page->delay_ns;
		settings->delay.generation_ns = now();
		__atomic_add_fetch(&settings->delay.generation, 1, __ATOMIC_RELEASE);
	}
	for (uint32_t i = 0; i < page->processes_used && i < RUNTIME_PROCESSES_MOST; i++) {
		struct runtime_process *process = &page->processes[i];
		if (process->pid && !(process->pid & RUNTIME_PID_TAKEN) && process->wants)
			read_mappings(process);
	}
	__atomic_store_n(&page->ring_tail, page->ring_head, __ATOMIC_RELEASE);
}

/* ---- the program ---- */

/* Its exit status, or -1 if it said that something was wrong. */
static int run(char **words)
{
	const struct timespec pause = {.tv_nsec = STEP_NS};
	int said = memfd_create("said", MFD_CLOEXEC), status;
	static char text[1 << 16];
	pid_t pid = fork();

	if (!pid) {
		dup2(said, STDOUT_FILENO);
		execv(words[0], words);
		_exit(127);
	}
	for (unsigned step = 1; !waitpid(pid, &status, WNOHANG); step++) {
		serve(step);
		nanosleep(&pause, NULL);
	}
	ssize_t size = pread(said, text, sizeof(text) - 1, 0);
	text[size > 0 ? size : 0] = 0;
	close(said);
	if (!status && !strstr(text, "WRONG") && !strstr(text, "exact: no"))
		return 0;
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		printf("# %s\n", line);
	return status ? status : -1;
}

static struct runtime_counters count(void)
{
	struct runtime_counters sums = {0};

	for (int i = 0; i < RUNTIME_STRIPES; i++) {
		sums.samples += page->counters[i].samples;
		sums.target_samples += page->counters[i].target_samples;
		sums.pauses += page->counters[i].pauses;
	}
	return sums;
}

int main(int display_count, char **words)
{
	struct runtime_counters sums = {0};
	int status = 0;

	if (display_count < 3 || !realpath(words[2], program))
		give_up("serve_page SENTENCE PROGRAM [ARGUMENT...]");
	make_page();
	for (int i = 0; i < RUNS_MOST && !status; i++) {
		status = run(words + 2);
		sums = count();
		if (sums.samples && sums.pauses)
			break;
	}
	bool is_sampled = sums.samples && sums.pauses;
	printf("# %llu samples, %llu in the target, %llu pauses; status %d\n",
	       (unsigned long long)sums.samples, (unsigned long long)sums.target_samples,
	       (unsigned long long)sums.pauses, status);
	printf("%sok 1 - %s\n", status ? "not " : "", words[1]);
	printf("%sok 2 - it was sampled, and was paused for the target\n",
	       is_sampled ? "" : "not ");
	printf("1..2\n");
	return status || !is_sampled;
}
