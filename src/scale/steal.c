/* SPDX-License-Identifier: BSD-2-Clause */
/* steal - differences of /proc/stat. */
#include "scale/steal.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STAT_BYTES 65536 /* the cores come first */
#define NS_PER_SECOND 1000000000u

/* Adds a core's line; false: it is another line. */
static bool add_core(const char *line, const cpu_set_t *cores, struct steal_sums *ticks)
{
	uint64_t user, nice, system, interrupts, soft, steal;
	int cpu;

	if (sscanf(line,
		   "cpu%d %" SCNu64 " %" SCNu64 " %" SCNu64 " %*u %*u %" SCNu64 " %" SCNu64
		   " %" SCNu64,
		   &cpu, &user, &nice, &system, &interrupts, &soft, &steal) != 7)
		return false;
	if (cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET(cpu, cores)) {
		ticks->busy_ns += user + nice + system + interrupts + soft + steal;
		ticks->stolen_ns += steal;
	}
	return true;
}

struct steal_sums steal_parse(const char *text, const cpu_set_t *cores)
{
	struct steal_sums ticks = {0};
	uint64_t tick_ns = NS_PER_SECOND / (uint64_t)sysconf(_SC_CLK_TCK);
	const char *line = strchr(text, '\n');

	/* The first line is the sum of all cores. */
	while (line && add_core(line + 1, cores, &ticks))
		line = strchr(line + 1, '\n');
	return (struct steal_sums){ticks.busy_ns * tick_ns, ticks.stolen_ns * tick_ns};
}

static struct steal_sums read_sums(const struct steal *steal)
{
	static char text[STAT_BYTES];
	ssize_t size = steal->stat < 0 ? -1 : pread(steal->stat, text, sizeof(text) - 1, 0);

	text[size > 0 ? size : 0] = '\0';
	return steal_parse(text, &steal->cores);
}

void steal_begin(struct steal *steal, const cpu_set_t *cores)
{
	*steal = (struct steal){.cores = *cores, .stat = open("/proc/stat", O_RDONLY | O_CLOEXEC)};
	struct steal_sums sums = read_sums(steal);
	steal->first_ns = sums.stolen_ns;
	steal->busy_ns = sums.busy_ns;
}

void steal_add(struct steal *steal, struct steal_sums sums, uint64_t running_ns)
{
	if (sums.stolen_ns <= steal->first_ns + steal->stolen_ns || sums.busy_ns <= steal->busy_ns)
		return;
	uint64_t taken = sums.stolen_ns - steal->first_ns - steal->stolen_ns;
	double busy = (double)(sums.busy_ns - steal->busy_ns), running = (double)running_ns;
	/* The share of the whole run so far: a snapshot has too few ticks. */
	double part = running < busy ? running / busy : 1;
	steal->stolen_ns += taken;
	steal->own_ns += (uint64_t)((double)taken * part);
}

void steal_update(struct steal *steal, uint64_t running_ns)
{
	steal_add(steal, read_sums(steal), running_ns);
}

void steal_end(struct steal *steal)
{
	if (steal->stat >= 0)
		close(steal->stat);
	steal->stat = -1;
}
