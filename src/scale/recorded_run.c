/* SPDX-License-Identifier: BSD-2-Clause */
/* recorded_run - a tracer and an annotation reader whose events go to a trace writer. */
#include "scale/recorded_run.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "scale/target_sampler.h"
#include "trace/trace_writer.h"

/* A replay takes about 200 bytes of memory for each. */
#define EVENTS_MOST 3000000u
#define RING_RECORDS (1u << 16) /* of annotations, for each thread */

struct recorded_run {
	struct tracer *tracer;
	struct annotation_reader *annotations;
	struct trace_writer *writer;
	struct target_sampler *sampler; /* NULL: there is no what-if target */
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
	AUTO(recorded_run) struct recorded_run *recorded = memory_new(1, sizeof(*recorded));
	struct tracer_options tracer = {.wants_messages = options->wants_messages,
					.verbose = options->verbose};
	struct target_sampler_options sampler = {options->what_if, options->program,
						 options->verbose};
	int code = annotation_reader_open(RING_RECORDS, false, &recorded->annotations, error);

	code = code ? code : tracer_open(&tracer, &recorded->tracer, error);
	if (!code && options->what_if)
		code = target_sampler_open(&sampler, &recorded->sampler, error);
	if (!code)
		*result = take(&recorded);
	return code;
}

void recorded_run_close(struct recorded_run *recorded)
{
	if (!recorded)
		return;
	target_sampler_close(recorded->sampler);
	tracer_close(recorded->tracer);
	trace_writer_free(recorded->writer);
	annotation_reader_close(recorded->annotations);
	free(recorded);
}

const char *recorded_run_environment(const struct recorded_run *recorded)
{
	return annotation_reader_environment(recorded->annotations);
}

int recorded_run_begin(struct recorded_run *recorded, struct profile *profile, int64_t run_id,
		       pid_t pid, struct error *error)
{
	recorded->profile = profile;
	recorded->run_id = run_id;
	recorded->writer = trace_writer_new(profile, run_id, 0, recorded->annotations);
	recorded->on_log = (struct tracer_handler){.context = recorded->writer,
						   .scheduler = trace_writer_on_scheduler,
						   .task = trace_writer_on_task,
						   .message = trace_writer_on_message};
	recorded->on_marks = (struct annotation_handler){.context = recorded->writer,
							 .batch = trace_writer_on_marks};
	tracer_add_process(recorded->tracer, pid);
	tracer_start(recorded->tracer);
	return recorded->sampler ? target_sampler_begin(recorded->sampler, pid, error) : 0;
}

static void drain_all(struct recorded_run *recorded, bool is_last)
{
	const struct trace_writer_totals *totals = trace_writer_totals(recorded->writer);

	annotation_reader_drain(recorded->annotations, is_last, &recorded->on_marks);
	tracer_drain(recorded->tracer, &recorded->on_log);
	if (recorded->sampler)
		target_sampler_drain(recorded->sampler);
	for (unsigned cpu = 0; cpu < SCHEDULER_RINGS_MOST; cpu++)
		trace_writer_set_lost(recorded->writer, cpu, tracer_lost_on(recorded->tracer, cpu));
	if (totals->switches + totals->wakes < EVENTS_MOST || is_last)
		return;
	recorded->is_cut = true;
	tracer_stop(recorded->tracer);
}

int recorded_run_drain(struct recorded_run *recorded, struct error *error)
{
	drain_all(recorded, false);
	return trace_writer_write(recorded->writer, false, error);
}

int recorded_run_end(struct recorded_run *recorded, struct recorded_run_totals *totals,
		     struct error *error)
{
	const struct trace_writer_totals *seen = trace_writer_totals(recorded->writer);
	struct tracer_counters log;
	struct annotation_reader_counters marks;

	tracer_stop(recorded->tracer);
	drain_all(recorded, true);
	tracer_counters(recorded->tracer, &log);
	annotation_reader_counters(recorded->annotations, &marks);
	*totals = (struct recorded_run_totals){
		.events = seen->switches + seen->wakes + seen->marks,
		.lost = log.lost + log.lost_events +
			(recorded->sampler ? target_sampler_lost(recorded->sampler) : 0),
		.is_cut = recorded->is_cut};
	int code = trace_writer_finish(recorded->writer, error);
	if (!code && recorded->sampler)
		code = target_sampler_write(recorded->sampler, recorded->profile, recorded->run_id,
					    error);
	return code;
}
