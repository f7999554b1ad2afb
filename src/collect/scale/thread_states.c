/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_states - loads bpf/scale.bpf.c, names the program and its cores, reads its sums. */
#include "collect/scale/thread_states.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "collect/bpf/clocks.h"
#include "collect/bpf/loader.h"
#include "collect/bpf/overhead.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#pragma GCC diagnostic push /* made by bpftool */
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Woverlength-strings"
#include "scale.skel.h"
#pragma GCC diagnostic pop

#define SAMPLE_PERIOD_NS 1003000 /* not round: the program's own periods often are */

struct thread_states {
	struct scale_bpf *bpf;
	struct overhead overhead;
	struct clocks clocks;
	bool samples;
};

CLEANUP_DEFINE(thread_states, struct thread_states *, thread_states_close, NULL)

static void fill_settings(struct scale_bpf *bpf, const struct thread_states_options *options)
{
	for (unsigned cpu = 0; cpu < SCALE_CPUS_MOST; cpu++)
		bpf->bss->counts[cpu].is_allowed = CPU_ISSET(cpu, options->cores);
	bpf->bss->settings.cores = (uint32_t)CPU_COUNT(options->cores);
}

static int load(struct thread_states *thread_states, struct error *error)
{
	thread_states->bpf = scale_bpf__open();
	if (!thread_states->bpf)
		return error_set(error, errno, "cannot open the BPF programs: %s", strerror(errno));
	bpf_map__set_max_entries(thread_states->bpf->maps.unwind_rows, 1); /* no stacks here */
	bpf_program__set_autoload(thread_states->bpf->progs.scale_sample, thread_states->samples);
	int code = scale_bpf__load(thread_states->bpf);
	code = code ? code : bpf_loader_note_engine(thread_states->bpf->progs.note_engine);
	return code ? bpf_loader_explain(code, error) : 0;
}

int thread_states_open(const struct thread_states_options *options,
		       struct thread_states **thread_states, struct error *error)
{
	AUTO(thread_states) struct thread_states *opened = memory_new(1, sizeof(*opened));

	clocks_clear(&opened->clocks);
	opened->samples = options->samples;
	bpf_loader_set_verbose(options->verbose);
	int code = bpf_loader_check_cores(error);
	code = code ? code : load(opened, error);
	if (code)
		return code;
	fill_settings(opened->bpf, options);
	*thread_states = take(&opened);
	return 0;
}

void thread_states_close(struct thread_states *thread_states)
{
	if (!thread_states)
		return;
	clocks_close(&thread_states->clocks);
	scale_bpf__destroy(thread_states->bpf);
	free(thread_states);
}

int thread_states_start(struct thread_states *thread_states, pid_t pid, struct error *error)
{
	struct scale_totals totals = {.threads = 1, .processes = 1, .most_threads = 1};
	struct scale_slot *slot = &thread_states->bpf->bss->slots[pid & (SCALE_SLOTS - 1)];
	uint32_t zero = 0;

	totals.counts[SCALE_OTHER] = 1;
	if (bpf_map_update_elem(bpf_map__fd(thread_states->bpf->maps.scale_sums), &zero, &totals,
				BPF_F_LOCK))
		return error_set(error, errno, "cannot begin to count threads: %s",
				 strerror(errno));
	thread_states->bpf->bss->settings.root = (uint32_t)pid;
	if (!thread_states->bpf->bss->engine_level) { /* else its exec tells the id */
		slot->tid = (uint32_t)pid;
		slot->state = SCALE_OTHER;
	}
	int code = scale_bpf__attach(thread_states->bpf);
	if (code)
		return error_set(error, code, "cannot attach to the scheduler's tracepoints: %s",
				 strerror(-code));
	overhead_start(&thread_states->overhead, thread_states->bpf->obj);
	if (!thread_states->samples)
		return 0;
	code = clocks_open(&thread_states->clocks,
			   bpf_program__fd(thread_states->bpf->progs.scale_sample),
			   SAMPLE_PERIOD_NS, 1, error);
	if (!code)
		clocks_enable(&thread_states->clocks, true);
	return code;
}

int thread_states_read(struct thread_states *thread_states, struct scale_totals *totals,
		       struct error *error)
{
	uint32_t zero = 0;

	overhead_poll(&thread_states->overhead);
	if (bpf_map_lookup_elem_flags(bpf_map__fd(thread_states->bpf->maps.scale_sums), &zero,
				      totals, BPF_F_LOCK))
		return error_set(error, errno, "cannot read how many threads are active: %s",
				 strerror(errno));
	return 0;
}

void thread_states_overhead(struct thread_states *thread_states, struct recording_overhead *row)
{
	overhead_end(&thread_states->overhead, row);
}

void thread_states_counters(const struct thread_states *thread_states, struct scale_counts *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (unsigned cpu = 0; cpu < SCALE_CPUS_MOST; cpu++) {
		const struct scale_counts *counts = &thread_states->bpf->bss->counts[cpu];
		sum->switches += counts->switches;
		sum->wakes += counts->wakes;
		sum->yields += counts->yields;
		sum->escapes += counts->escapes;
		sum->samples += counts->samples;
		sum->spinning += counts->spinning;
	}
}
