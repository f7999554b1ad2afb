/* SPDX-License-Identifier: BSD-2-Clause */
/* witness - a tracer and an annotations reader whose events go into a ledger. */
#include "scale/witness.h"

#include "base/memory.h"
#include "base/own.h"
#include "scale/sampler.h"
#include "trace/ledger.h"

/* A replay of them takes some 200 bytes for each, in the reader's memory. */
#define EVENTS_MOST 3000000u
#define RING_RECORDS (1u << 16) /* of annotations, for each thread */

struct witness {
	struct tracer *tracer;
	struct annotations_reader *annotations;
	struct ledger *ledger;
	struct sampler *sampler; /* NULL: there is no question */
	struct profile *profile;
	int64_t run_id;
	struct tracer_handler on_log;
	struct annotations_handler on_marks;
	bool is_cut;
};

OWN_DEFINE(witness, struct witness *, witness_close, NULL)

int witness_open(const struct witness_options *options, struct witness **result,
		 struct error *error)
{
	AUTO(witness) struct witness *witness = memory_new(1, sizeof(*witness));
	struct tracer_options tracer = {.verbose = options->verbose};
	struct sampler_options sampler = {options->question, options->program, options->verbose};
	int code = annotations_open(RING_RECORDS, false, &witness->annotations, error);

	code = code ? code : tracer_open(&tracer, &witness->tracer, error);
	if (!code && options->question)
		code = sampler_open(&sampler, &witness->sampler, error);
	if (!code)
		*result = take(&witness);
	return code;
}

void witness_close(struct witness *witness)
{
	if (!witness)
		return;
	sampler_close(witness->sampler);
	tracer_close(witness->tracer);
	ledger_free(witness->ledger);
	annotations_close(witness->annotations);
	free(witness);
}

const char *witness_environment(const struct witness *witness)
{
	return annotations_environment(witness->annotations);
}

int witness_begin(struct witness *witness, struct profile *profile, int64_t run_id, pid_t pid,
		  struct error *error)
{
	witness->profile = profile;
	witness->run_id = run_id;
	witness->ledger = ledger_new(profile, run_id, 0, witness->annotations);
	witness->on_log = (struct tracer_handler){.context = witness->ledger,
						  .scheduler = ledger_on_scheduler,
						  .task = ledger_on_task};
	witness->on_marks =
		(struct annotations_handler){.context = witness->ledger, .batch = ledger_on_marks};
	tracer_add_process(witness->tracer, pid);
	tracer_start(witness->tracer);
	return witness->sampler ? sampler_begin(witness->sampler, pid, error) : 0;
}

static void drain(struct witness *witness, bool is_last)
{
	const struct ledger_sums *sums = ledger_sums(witness->ledger);

	annotations_drain(witness->annotations, is_last, &witness->on_marks);
	tracer_drain(witness->tracer, &witness->on_log);
	if (witness->sampler)
		sampler_drain(witness->sampler);
	for (unsigned cpu = 0; cpu < SCHEDULER_RINGS_MOST; cpu++)
		ledger_set_lost(witness->ledger, cpu, tracer_lost_on(witness->tracer, cpu));
	if (sums->switches + sums->wakes < EVENTS_MOST || is_last)
		return;
	witness->is_cut = true;
	tracer_stop(witness->tracer);
}

int witness_look(struct witness *witness, struct error *error)
{
	drain(witness, false);
	return ledger_write(witness->ledger, false, error);
}

int witness_end(struct witness *witness, struct witness_sums *sums, struct error *error)
{
	const struct ledger_sums *seen = ledger_sums(witness->ledger);
	struct tracer_counters log;
	struct annotations_counters marks;

	tracer_stop(witness->tracer);
	drain(witness, true);
	tracer_counters(witness->tracer, &log);
	annotations_counters(witness->annotations, &marks);
	*sums = (struct witness_sums){.events = seen->switches + seen->wakes + seen->marks,
				      .lost = log.lost + log.lost_events,
				      .is_cut = witness->is_cut};
	int code = ledger_finish(witness->ledger, error);
	if (!code && witness->sampler)
		code = sampler_write(witness->sampler, witness->profile, witness->run_id, error);
	return code;
}
