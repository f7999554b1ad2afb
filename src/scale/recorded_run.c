/* SPDX-License-Identifier: BSD-2-Clause */
/* recorded_run - a tracer and an annotations reader whose events go into a trace_writer. */
#include "scale/recorded_run.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "scale/target_sampler.h"
#include "trace/trace_writer.h"

/* A replay of them takes some 200 bytes for each, in the reader's memory. */
#define EVENTS_MOST 3000000u
#define RING_RECORDS (1u << 16) /* of annotations, for each thread */

struct recorded_run {
	struct tracer *tracer;
	struct annotation_reader *annotations;
	struct trace_writer *trace_writer;
	struct target_sampler *target_sampler; /* NULL: there is no what_if */
	struct profile *profile;
	int64_t run_id;
	struct tracer_handler on_log;
	struct annotation_handler on_marks;
	bool is_cut;
};

CLEANUP_DEFINE(recorded_run, struct recorded_run *, recorded_run_close, NULL)

int recorded_run_open(const struct recorded_run_options *options, struct recorded_run **result,
		      struct error *error)
{
	AUTO(recorded_run) struct recorded_run *recorded_run = memory_new(1, sizeof(*recorded_run));
	struct tracer_options tracer = {.verbose = options->verbose};
	struct target_sampler_options target_sampler = {options->what_if, options->program,
							options->verbose};
	int code = annotation_reader_open(RING_RECORDS, false, &recorded_run->annotations, error);

	code = code ? code : tracer_open(&tracer, &recorded_run->tracer, error);
	if (!code && options->what_if)
		code = target_sampler_open(&target_sampler, &recorded_run->target_sampler, error);
	if (!code)
		*result = take(&recorded_run);
	return code;
}

void recorded_run_close(struct recorded_run *recorded_run)
{
	if (!recorded_run)
		return;
	target_sampler_close(recorded_run->target_sampler);
	tracer_close(recorded_run->tracer);
	trace_writer_free(recorded_run->trace_writer);
	annotation_reader_close(recorded_run->annotations);
	free(recorded_run);
}

const char *recorded_run_environment(const struct recorded_run *recorded_run)
{
	return annotation_reader_environment(recorded_run->annotations);
}

int recorded_run_begin(struct recorded_run *recorded_run, struct profile *profile, int64_t run_id,
		       pid_t pid, struct error *error)
{
	recorded_run->profile = profile;
	recorded_run->run_id = run_id;
	recorded_run->trace_writer =
		trace_writer_new(profile, run_id, 0, recorded_run->annotations);
	recorded_run->on_log = (struct tracer_handler){.context = recorded_run->trace_writer,
						       .scheduler = trace_writer_on_scheduler,
						       .task = trace_writer_on_task};
	recorded_run->on_marks = (struct annotation_handler){.context = recorded_run->trace_writer,
							     .batch = trace_writer_on_marks};
	tracer_add_process(recorded_run->tracer, pid);
	tracer_start(recorded_run->tracer);
	return recorded_run->target_sampler ?
		       target_sampler_begin(recorded_run->target_sampler, pid, error) :
		       0;
}

static void drain_all(struct recorded_run *recorded_run, bool is_last)
{
	const struct trace_writer_totals *totals = trace_writer_totals(recorded_run->trace_writer);

	annotation_reader_drain(recorded_run->annotations, is_last, &recorded_run->on_marks);
	tracer_drain(recorded_run->tracer, &recorded_run->on_log);
	if (recorded_run->target_sampler)
		target_sampler_drain(recorded_run->target_sampler);
	for (unsigned cpu = 0; cpu < SCHEDULER_RINGS_MOST; cpu++)
		trace_writer_set_lost(recorded_run->trace_writer, cpu,
				      tracer_lost_on(recorded_run->tracer, cpu));
	if (totals->switches + totals->wakes < EVENTS_MOST || is_last)
		return;
	recorded_run->is_cut = true;
	tracer_stop(recorded_run->tracer);
}

int recorded_run_drain(struct recorded_run *recorded_run, struct error *error)
{
	drain_all(recorded_run, false);
	return trace_writer_write(recorded_run->trace_writer, false, error);
}

int recorded_run_end(struct recorded_run *recorded_run, struct recorded_run_totals *totals,
		     struct error *error)
{
	const struct trace_writer_totals *seen = trace_writer_totals(recorded_run->trace_writer);
	struct tracer_counters log;
	struct annotation_reader_counters marks;

	tracer_stop(recorded_run->tracer);
	drain_all(recorded_run, true);
	tracer_counters(recorded_run->tracer, &log);
	annotation_reader_counters(recorded_run->annotations, &marks);
	*totals = (struct recorded_run_totals){.events = seen->switches + seen->wakes + seen->marks,
					       .lost = log.lost + log.lost_events,
					       .is_cut = recorded_run->is_cut};
	int code = trace_writer_finish(recorded_run->trace_writer, error);
	if (!code && recorded_run->target_sampler)
		code = target_sampler_write(recorded_run->target_sampler, recorded_run->profile,
					    recorded_run->run_id, error);
	return code;
}
