/* SPDX-License-Identifier: BSD-2-Clause */
/* csv - a timeline as CSV: a row for each span. */
#include "report/formats.h"

#include "base/utf8.h"
#include "report/csv.h"

#include <inttypes.h>

struct rows {
	FILE *out;
	const struct timeline *timeline;
	const struct timeline_thread *thread;
};

static void on_end(void *context, const struct timeline_span *span)
{
	const struct rows *rows = context;
	const struct timeline *timeline = rows->timeline;
	const struct timeline_host *host = timeline_host_of(timeline, rows->thread->tid);
	FILE *out = rows->out;

	fprintf(out, "%u,%u,", timeline_tid(rows->thread->pid), timeline_tid(rows->thread->tid));
	csv_write_text(out, rows->thread->name ? rows->thread->name : "?");
	fputc(',', out);
	csv_write_text(out, timeline_name(timeline, span->name_id));
	fputc(',', out);
	if (span->has_value && span->is_text)
		csv_write_text(out, timeline_name(timeline, span->value));
	else if (span->has_value)
		fprintf(out, "%" PRIu64, span->value);
	fprintf(out, ",%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64, span->depth,
		span->start_ns - timeline->start_ns, span->end_ns - span->start_ns, span->self_ns);
	for (unsigned class = 0; class < TIMELINE_CLASSES; class ++)
		if (timeline->has_scheduler)
			fprintf(out, ",%" PRIu64, span->class_ns[class]);
		else
			fputc(',', out);
	fprintf(out, ",%d,", span->is_cut);
	csv_write_text(out, host && host->name ? host->name : "");
	fputc('\n', out);
}

void report_timeline_csv(FILE *out, const struct report *report)
{
	const struct timeline *timeline = report->timeline;
	struct rows rows = {.out = out, .timeline = timeline};
	struct timeline_visitor visitor = {.context = &rows, .end = on_end};

	fputs("pid,tid,thread,span,value,depth,start_ns,duration_ns,self_ns,running_ns,runnable_ns,"
	      "io_ns,lock_ns,other_ns,cut,host\n",
	      out);
	for (size_t i = 0; i < timeline->threads.count; i++) {
		rows.thread = &timeline->threads.items[i];
		if (rows.thread->marks)
			timeline_walk(timeline, rows.thread, &visitor);
	}
}
