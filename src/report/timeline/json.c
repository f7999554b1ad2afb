/* SPDX-License-Identifier: BSD-2-Clause */
/* json - the figures of a timeline as JSON, as docs/timeline.schema.json defines them. */
#include "report/formats.h"

#include "analyze/timeline/interrupts.h"
#include "analyze/timeline/path.h"
#include "analyze/timeline/spans.h"
#include "base/cleanup.h"
#include "report/json.h"
#include "report/timeline/names.h"
#include "report/timeline/warnings.h"

CLEANUP_DEFINE(spans, struct spans *, spans_free, NULL)
CLEANUP_DEFINE(interrupts, struct interrupts *, interrupts_free, NULL)
CLEANUP_DEFINE(path, struct path *, path_free, NULL)

static json_t *classes_of(const struct timeline *timeline, const uint64_t *class_ns)
{
	json_t *json = json_object();

	if (!timeline->has_scheduler) {
		json_decref(json);
		return json_null();
	}
	for (unsigned class = 0; class < TIMELINE_CLASSES; class ++)
		json_object_set_new(json, timeline_class_name(class), json_count(class_ns[class]));
	return json;
}

static json_t *thread_of(const struct timeline *timeline, size_t index)
{
	const struct timeline_thread *thread = &timeline->threads.items[index];
	const struct timeline_host *host = timeline_host_of(timeline, thread->tid);
	json_t *json =
		json_pack("{sI sI so}", "pid", (json_int_t)timeline_tid(thread->pid), "tid",
			  (json_int_t)timeline_tid(thread->tid), "name", json_text(thread->name));
	if (host)
		json_object_set_new(json, "host", json_text(host->name));
	return json;
}

static json_t *thread_rows_of(const struct timeline *timeline, const struct spans *spans,
			      const struct spans_row *row)
{
	json_t *list = json_array();

	for (size_t i = 0; i < row->threads; i++) {
		const struct spans_thread_row *thread_row =
			&spans->thread_rows.items[row->first_thread_row + i];
		json_t *json = thread_of(timeline, thread_row->thread);
		json_object_set_new(json, "count", json_count(thread_row->count));
		json_object_set_new(json, "total_ns", json_count(thread_row->total_ns));
		json_object_set_new(json, "self_ns", json_count(thread_row->self_ns));
		json_object_set_new(json, "time", classes_of(timeline, thread_row->class_ns));
		json_array_append_new(list, json);
	}
	return list;
}

static json_t *spans_of(const struct timeline *timeline, const struct spans *spans)
{
	json_t *list = json_array();

	for (size_t i = 0; i < spans->rows.count; i++) {
		const struct spans_row *row = &spans->rows.items[i];
		json_array_append_new(list,
				      json_pack("{so so so so so so so so so so so}", "name",
						json_text(timeline_name(timeline, row->name_id)),
						"count", json_count(row->count), "cut",
						json_count(row->cut), "total_ns",
						json_count(row->total_ns), "self_ns",
						json_count(row->self_ns), "time",
						classes_of(timeline, row->class_ns), "p50_ns",
						json_number(row->durations.p50_ns), "p95_ns",
						json_number(row->durations.p95_ns), "p99_ns",
						json_number(row->durations.p99_ns), "max_ns",
						json_number(row->durations.max_ns), "threads",
						thread_rows_of(timeline, spans, row)));
	}
	return list;
}

static json_t *threads_of(const struct timeline *timeline)
{
	json_t *list = json_array();

	for (size_t i = 0; i < timeline->threads.count; i++) {
		const struct timeline_thread *thread = &timeline->threads.items[i];
		if (!thread->pid)
			continue;
		json_t *json = thread_of(timeline, i);
		json_object_set_new(json, "start_ns",
				    json_integer(
					    (json_int_t)(thread->start_ns - timeline->start_ns)));
		json_object_set_new(json, "lived_ns",
				    json_count(thread->end_ns - thread->start_ns));
		json_object_set_new(json, "time", classes_of(timeline, thread->class_ns));
		json_object_set_new(json, "migrations", json_count(thread->migrations));
		json_object_set_new(json, "annotations", json_count(thread->marks));
		json_object_set_new(json, "dropped", json_count(thread->lost));
		json_array_append_new(list, json);
	}
	return list;
}

static json_t *regions_of(const struct timeline *timeline, const struct spans *spans)
{
	json_t *list = json_array();

	for (size_t i = 0; i < spans->regions.count; i++) {
		const struct region *region = &spans->regions.items[i];
		json_array_append_new(
			list, json_pack("{so so so so so so so so}", "name",
					json_text(timeline_name(timeline, region->name_id)),
					"rounds", json_count(region->instances), "threads",
					json_count(region->threads), "mean_busy_ns",
					json_number(region->mean_ns / (double)region->instances),
					"busiest_ns",
					json_number(region->max_ns / (double)region->instances),
					"wall_ns", json_number(region->wall_ns), "imbalance",
					json_number(region->imbalance), "worst_imbalance",
					json_number(region->worst)));
	}
	return list;
}

static json_t *hosts_of(const struct timeline *timeline)
{
	json_t *list = json_array();

	for (size_t i = 0; i < timeline->hosts.count; i++) {
		const struct timeline_host *host = &timeline->hosts.items[i];
		json_array_append_new(
			list, json_pack("{so so so so so so}", "name", json_text(host->name),
					"threads", json_count(host->threads), "busy_cores",
					timeline->has_scheduler ? json_number(host->busy_cores) :
								  json_null(),
					"clock_ahead_ns", json_integer(host->ahead_ns),
					"clock_drift", json_number(host->drift),
					"clock_uncertainty_ns", json_count(host->uncertainty_ns)));
	}
	return list;
}

static json_t *path_of(const struct timeline *timeline)
{
	AUTO(path) struct path *path = path_new(timeline);
	json_t *list = json_array();

	for (size_t i = 0; i < path->rows.count; i++) {
		json_t *json = thread_of(timeline, path->rows.items[i].thread);
		json_object_set_new(json, "path_ns", json_count(path->rows.items[i].all_ns));
		json_object_set_new(json, "time",
				    classes_of(timeline, path->rows.items[i].class_ns));
		json_array_append_new(list, json);
	}
	return json_pack("{so so so so}", "duration_ns", json_count(path->all_ns), "messages",
			 json_count(path->messages), "messages_ns", json_count(path->message_ns),
			 "threads", list);
}

static json_t *core_of(const struct timeline *timeline, unsigned cpu)
{
	const struct timeline_host *host = timeline_host_of_core(timeline, cpu);
	json_t *json = json_pack("{so}", "core", json_count(cpu - (host ? host->first_cpu : 0)));

	if (host)
		json_object_set_new(json, "host", json_text(host->name));
	return json;
}

static json_t *cores_of(const struct timeline *timeline, const struct interrupts *interrupts)
{
	uint64_t all_ns = timeline->end_ns - timeline->start_ns;
	json_t *list = json_array();

	for (size_t i = 0; i < timeline->cores.count; i++) {
		const struct timeline_core *core = &timeline->cores.items[i];
		json_t *json = core_of(timeline, core->cpu);
		json_object_set_new(json, "busy_ns", json_count(core->busy_ns));
		json_object_set_new(json, "utilisation",
				    json_number(all_ns ? (double)core->busy_ns / (double)all_ns :
							 0));
		json_object_set_new(json, "entries", json_count(core->entries));
		json_object_set_new(json, "migrations", json_count(core->migrations));
		json_object_set_new(json, "interrupts_ns",
				    json_count(interrupts_of_core(interrupts, core->cpu)));
		json_object_set_new(json, "lost", json_count(core->lost));
		json_array_append_new(list, json);
	}
	return list;
}

static json_t *waits_of(const struct timeline *timeline, const struct spans *spans)
{
	json_t *list = json_array();

	for (size_t i = 0; i < spans->waits.count; i++) {
		const struct spans_wait *wait = &spans->waits.items[i];
		const struct timeline_state *state = &wait->state;
		AUTO(text) char *end = timeline_wait_end(timeline, state);
		bool has_call = state->system_call != SWITCH_NO_CALL;
		json_array_append_new(
			list,
			json_pack(
				"{so so so so so so so so so}", "thread",
				thread_of(timeline, wait->thread), "span",
				wait->name_id ? json_text(timeline_name(timeline, wait->name_id)) :
						json_null(),
				"start_ns", json_count(state->start_ns - timeline->start_ns),
				"duration_ns", json_count(state->end_ns - state->start_ns), "class",
				json_string(timeline_class_name(state->class)), "system_call",
				has_call ? json_text(timeline_call(timeline, state->system_call)) :
					   json_null(),
				"waker",
				state->waker && !state->by_interrupt ?
					json_count(timeline_tid(state->waker)) :
					json_null(),
				"ended_by", json_text(end), "delay_ns",
				json_count(wait->delay_ns)));
	}
	return list;
}

static json_t *counters_of(const struct timeline *timeline, const struct spans *spans)
{
	json_t *list = json_array();

	for (size_t i = 0; i < spans->counters.count; i++) {
		const struct spans_counter *counter = &spans->counters.items[i];
		json_array_append_new(
			list,
			json_pack("{so so so so so so}", "name",
				  json_text(timeline_name(timeline, counter->name_id)), "count",
				  json_count(counter->count), "min", json_number(counter->min),
				  "mean", json_number(counter->mean), "max",
				  json_number(counter->max), "last", json_number(counter->last)));
	}
	return list;
}

static json_t *flows_of(const struct timeline *timeline, const struct spans *spans)
{
	json_t *list = json_array();

	for (size_t i = 0; i < spans->flows.count; i++) {
		const struct flow *flow = &spans->flows.items[i];
		json_array_append_new(list,
				      json_pack("{so so so so so so so so}", "name",
						json_text(timeline_name(timeline, flow->name_id)),
						"count", json_count(flow->count), "no_partner",
						json_count(flow->lost), "total_ns",
						json_count(flow->total_ns), "p50_ns",
						json_number(flow->durations.p50_ns), "p95_ns",
						json_number(flow->durations.p95_ns), "p99_ns",
						json_number(flow->durations.p99_ns), "max_ns",
						json_number(flow->durations.max_ns)));
	}
	return list;
}

static json_t *interrupts_of(const struct timeline *timeline, const struct interrupts *interrupts)
{
	json_t *list = json_array();

	for (size_t i = 0; i < interrupts->rows.count; i++) {
		const struct interrupts_row *row = &interrupts->rows.items[i];
		AUTO(text) char *name = interrupts_name(timeline, row->number);
		json_t *json = core_of(timeline, row->cpu);
		json_object_set_new(json, "name", json_text(name));
		json_object_set_new(json, "count", json_count(row->count));
		json_object_set_new(json, "total_ns", json_count(row->total_ns));
		json_object_set_new(json, "p50_ns", json_number(row->durations.p50_ns));
		json_object_set_new(json, "p99_ns", json_number(row->durations.p99_ns));
		json_object_set_new(json, "max_ns", json_number(row->durations.max_ns));
		json_array_append_new(list, json);
	}
	return list;
}

static json_t *events_of(const struct timeline *timeline)
{
	struct timeline_event_counts counts = timeline_event_counts(timeline);
	return json_pack("{so so so so so so so}", "annotations", json_count(counts.marks),
			 "scheduler", json_count(counts.scheduler), "tasks",
			 json_count(counts.tasks), "interrupts", json_count(counts.interrupts),
			 "lost", json_count(timeline->run->lost), "annotations_dropped",
			 json_count(counts.marks_lost), "scheduler_lost",
			 json_count(counts.scheduler_lost));
}

void report_timeline_json(FILE *out, const struct report *report)
{
	const struct recording *recording = report->recording;
	const struct timeline *timeline = report->timeline;
	if (!timeline->run) {
		fputs("null\n", out);
		return;
	}
	struct run_totals totals = run_totals_of_run(recording, timeline->run);
	AUTO(spans) struct spans *spans = spans_new(timeline);
	AUTO(interrupts) struct interrupts *interrupts = interrupts_new(timeline);
	struct warnings warnings = timeline_warnings(timeline, spans, &totals);

	json_t *json =
		json_pack("{si ss so so so so so so so so so so so so so so so so}", "lever", 1,
			  "kind", "timeline", "program", json_program_of(&totals), "engine",
			  json_text(timeline->run->engine), "host", json_host_of(timeline->run),
			  "overhead", json_overhead_of(&totals), "events", events_of(timeline),
			  "duration_ns", json_count(timeline->end_ns - timeline->start_ns), "spans",
			  spans_of(timeline, spans), "regions", regions_of(timeline, spans),
			  "threads", threads_of(timeline), "cores", cores_of(timeline, interrupts),
			  "waits", waits_of(timeline, spans), "counters",
			  counters_of(timeline, spans), "flows", flows_of(timeline, spans),
			  "interrupts", interrupts_of(timeline, interrupts), "unmatched_ends",
			  json_count(spans->unmatched_ends), "warnings", json_warnings(&warnings));
	if (timeline->hosts.count)
		json_object_set_new(json, "hosts", hosts_of(timeline));
	if (timeline->hosts.count && timeline->has_scheduler)
		json_object_set_new(json, "critical_path", path_of(timeline));
	json_write_report(out, json);
	warnings_release(&warnings);
}
