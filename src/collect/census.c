/* SPDX-License-Identifier: BSD-2-Clause */
/* census - loads bpf/scale.bpf.c, tells it about the program and its cores, and reads its sums. */
#include "collect/census.h"

#include "base/memory.h"
#include "base/own.h"
#include "collect/bpf_side.h"
#include "collect/clocks.h"
#include "collect/cost.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#pragma GCC diagnostic push /* made by bpftool */
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Woverlength-strings"
#include "scale.skel.h"
#pragma GCC diagnostic pop

#define NO_CALL UINT64_MAX

#define LOOK_PERIOD_NS 1003000 /* no round number, which others use */

struct census {
	struct scale_bpf *bpf;
	struct cost cost;
	struct clocks clocks;
	bool looks;
};

OWN_DEFINE(census, struct census *, census_close, NULL)

static const struct scale_calls calls = {
	.futex = SYS_futex,
#ifdef SYS_nanosleep
	.nanosleep = SYS_nanosleep,
#else
	.nanosleep = NO_CALL,
#endif
	.clock_nanosleep = SYS_clock_nanosleep,
	.sched_yield = SYS_sched_yield,
};

static void set(struct scale_bpf *bpf, const struct census_options *options)
{
	bpf->bss->settings.calls = calls;
	for (unsigned cpu = 0; cpu < SCALE_CPUS_MOST; cpu++)
		bpf->bss->counts[cpu].is_allowed = CPU_ISSET(cpu, options->cores);
	bpf->bss->settings.cores = (uint32_t)CPU_COUNT(options->cores);
}

static int load(struct census *census, struct error *error)
{
	census->bpf = scale_bpf__open();
	if (!census->bpf)
		return error_set(error, errno, "cannot open the BPF programs: %s", strerror(errno));
	bpf_map__set_max_entries(census->bpf->maps.unwind_rows, 1); /* no stacks here */
	bpf_program__set_autoload(census->bpf->progs.scale_look, census->looks);
	int code = scale_bpf__load(census->bpf);
	return code ? bpf_side_explain(code, error) : 0;
}

int census_open(const struct census_options *options, struct census **census, struct error *error)
{
	AUTO(census) struct census *opened = memory_new(1, sizeof(*opened));

	clocks_clear(&opened->clocks);
	opened->looks = options->looks;
	bpf_side_set_verbose(options->verbose);
	int code = load(opened, error);
	if (code)
		return code;
	set(opened->bpf, options);
	*census = take(&opened);
	return 0;
}

void census_close(struct census *census)
{
	if (!census)
		return;
	clocks_close(&census->clocks);
	scale_bpf__destroy(census->bpf);
	free(census);
}

int census_start(struct census *census, pid_t pid, struct error *error)
{
	struct scale_totals totals = {.threads = 1, .processes = 1, .most_threads = 1};
	struct scale_slot *slot = &census->bpf->bss->slots[pid & (SCALE_SLOTS - 1)];
	uint32_t zero = 0;

	totals.counts[SCALE_OTHER] = 1;
	if (bpf_map_update_elem(bpf_map__fd(census->bpf->maps.scale_sums), &zero, &totals,
				BPF_F_LOCK))
		return error_set(error, errno, "cannot begin to count threads: %s",
				 strerror(errno));
	census->bpf->bss->settings.root = (uint32_t)pid;
	slot->tid = (uint32_t)pid;
	slot->state = SCALE_OTHER;
	int code = scale_bpf__attach(census->bpf);
	if (code)
		return error_set(error, code, "cannot attach to the scheduler's tracepoints: %s",
				 strerror(-code));
	cost_start(&census->cost, census->bpf->obj);
	if (!census->looks)
		return 0;
	code = clocks_open(&census->clocks, bpf_program__fd(census->bpf->progs.scale_look),
			   LOOK_PERIOD_NS, error);
	if (!code)
		clocks_enable(&census->clocks, true);
	return code;
}

int census_read(struct census *census, struct scale_totals *totals, struct error *error)
{
	uint32_t zero = 0;

	cost_look(&census->cost);
	if (bpf_map_lookup_elem_flags(bpf_map__fd(census->bpf->maps.scale_sums), &zero, totals,
				      BPF_F_LOCK))
		return error_set(error, errno, "cannot read how many threads are active: %s",
				 strerror(errno));
	return 0;
}

void census_cost(struct census *census, struct recording_cost *row)
{
	cost_end(&census->cost, row);
}

void census_counts(const struct census *census, struct scale_counts *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (unsigned cpu = 0; cpu < SCALE_CPUS_MOST; cpu++) {
		const struct scale_counts *counts = &census->bpf->bss->counts[cpu];
		sum->switches += counts->switches;
		sum->wakes += counts->wakes;
		sum->yields += counts->yields;
		sum->escapes += counts->escapes;
		sum->looks += counts->looks;
		sum->spinning += counts->spinning;
	}
}
