/* SPDX-License-Identifier: BSD-2-Clause */
/* schema - the tables of a profile. */
#include "profile/schema.h"

#include "base/cleanup.h"
#include "base/text.h"

#include <string.h>

/* A column with another name than the field, or with the same. */
#define NAMED(row, field, title, kind)                                                      \
	{                                                                                   \
		.name = title, .type = COLUMN_##kind, .offset = offsetof(struct row, field) \
	}
#define COLUMN(row, field, kind) NAMED(row, field, #field, kind)
#define CHOICE(row, field, names)                                                             \
	{                                                                                     \
		.name = #field, .type = COLUMN_CHOICE, .offset = offsetof(struct row, field), \
		.choice = names                                                               \
	}
/* The id of a row of another table. */
#define REFERENCE(row, field, table)                                                      \
	{                                                                                 \
		.name = #field, .type = COLUMN_ID, .offset = offsetof(struct row, field), \
		.refers = #table                                                          \
	}
/* A field of struct recording_visit. */
#define VISIT_COLUMN(field, kind)                                    \
	{                                                            \
		.name = #field, .type = COLUMN_##kind,               \
		.offset = offsetof(struct schema_visit, visit.field) \
	}

static const struct column run_columns[] = {
	COLUMN(recording_run, id, ID),
	COLUMN(recording_run, command, TEXT),
	COLUMN(recording_run, engine, TEXT),
	COLUMN(recording_run, host, TEXT),
	COLUMN(recording_run, kernel, TEXT),
	COLUMN(recording_run, version, TEXT),
	COLUMN(recording_run, granularity, TEXT),
	COLUMN(recording_run, started_s, SIGNED),
	COLUMN(recording_run, wall_ns, COUNT),
	COLUMN(recording_run, delay_ns, COUNT),
	COLUMN(recording_run, seed, BITS),
	COLUMN(recording_run, period_ns, COUNT),
	COLUMN(recording_run, interrupt_share, REAL),
	COLUMN(recording_run, samples, COUNT),
	COLUMN(recording_run, lost, COUNT),
	COLUMN(recording_run, capped, COUNT),
	COLUMN(recording_run, unwound_badly, COUNT),
	COLUMN(recording_run, sampled_ns, COUNT),
	COLUMN(recording_run, paused_ns, COUNT),
	NAMED(recording_run, baseline_ns, "calm_ns", COUNT),
	COLUMN(recording_run, exit_status, STATUS),
	COLUMN(recording_run, finished, FLAG),
	COLUMN(recording_run, note, TEXT),
	{.name = "kind",
	 .type = COLUMN_CHOICE,
	 .offset = offsetof(struct recording_run, kind),
	 .choice = run_kind_name,
	 .since = 2,
	 .before = "'causal'"},
	{.name = "machine",
	 .type = COLUMN_TEXT,
	 .offset = offsetof(struct recording_run, machine),
	 .since = 9,
	 .before = "NULL"},
	{.name = "source_commit",
	 .type = COLUMN_TEXT,
	 .offset = offsetof(struct recording_run, commit),
	 .since = 12,
	 .before = "NULL"},
	{.name = "hand_over_ns",
	 .type = COLUMN_COUNT,
	 .offset = offsetof(struct recording_run, hand_over_ns),
	 .since = 14,
	 .before = "0"},
	{.name = "crowded_ns",
	 .type = COLUMN_COUNT,
	 .offset = offsetof(struct recording_run, crowded_ns),
	 .since = 18,
	 .before = "0"},
	{.name = "unused_ns",
	 .type = COLUMN_COUNT,
	 .offset = offsetof(struct recording_run, unused_ns),
	 .since = 19,
	 .before = "0"},
	{.name = "cycle_ns",
	 .type = COLUMN_COUNT,
	 .offset = offsetof(struct recording_run, cycle_ns),
	 .since = 20,
	 .before = "0"},
	{.name = "whole_since_ns",
	 .type = COLUMN_COUNT,
	 .offset = offsetof(struct recording_run, whole_since_ns),
	 .since = 20,
	 .before = "0"},
	{.name = "options",
	 .type = COLUMN_TEXT,
	 .offset = offsetof(struct recording_run, options),
	 .since = 21,
	 .before = "NULL"},
	{.name = "retried_ns",
	 .type = COLUMN_COUNT,
	 .offset = offsetof(struct recording_run, retried_ns),
	 .since = 22,
	 .before = "0"},
	{.name = "brief_spin_share",
	 .type = COLUMN_REAL,
	 .offset = offsetof(struct recording_run, brief_spin_share),
	 .since = 22,
	 .before = "0"},
	{.name = "poll_ns",
	 .type = COLUMN_COUNT,
	 .offset = offsetof(struct recording_run, poll_ns),
	 .since = 24,
	 .before = "0"},
};

static const struct column target_columns[] = {
	COLUMN(recording_target, id, ID),
	CHOICE(recording_target, kind, target_kind_name),
	COLUMN(recording_target, name, TEXT),
	COLUMN(recording_target, function, TEXT),
	COLUMN(recording_target, file, TEXT),
	COLUMN(recording_target, line, WORD),
	COLUMN(recording_target, object, TEXT),
	COLUMN(recording_target, build_id, TEXT),
	{.name = "assumed",
	 .type = COLUMN_TEXT,
	 .offset = offsetof(struct recording_target, assumed),
	 .since = 10,
	 .before = "NULL"},
	{.name = "content",
	 .type = COLUMN_TEXT,
	 .offset = offsetof(struct recording_target, content),
	 .since = 17,
	 .before = "NULL"},
};

static const struct column member_columns[] = {
	REFERENCE(recording_member, target_id, target),
	CHOICE(recording_member, kind, target_kind_name),
	COLUMN(recording_member, name, TEXT),
	COLUMN(recording_member, level, REAL),
};

static const struct column set_search_columns[] = {
	REFERENCE(recording_set_search, run_id, run),
	COLUMN(recording_set_search, search, WORD),
	CHOICE(recording_set_search, end, set_search_end_name),
	COLUMN(recording_set_search, candidates, WORD),
	COLUMN(recording_set_search, duration_ns, COUNT),
	COLUMN(recording_set_search, excess, REAL),
	COLUMN(recording_set_search, members, TEXT),
};

static const struct column set_measure_columns[] = {
	REFERENCE(recording_set_measure, run_id, run),
	COLUMN(recording_set_measure, search, WORD),
	COLUMN(recording_set_measure, members, TEXT),
	COLUMN(recording_set_measure, speedup, REAL),
	COLUMN(recording_set_measure, measurements, WORD),
	COLUMN(recording_set_measure, ratio, REAL),
	COLUMN(recording_set_measure, error, REAL),
};

static const struct column call_edge_columns[] = {
	REFERENCE(recording_call_edge, run_id, run),
	REFERENCE(recording_call_edge, outer_id, target),
	REFERENCE(recording_call_edge, inner_id, target),
	COLUMN(recording_call_edge, sampled_ns, COUNT),
};

static const struct column point_columns[] = {
	COLUMN(recording_point, id, ID),
	CHOICE(recording_point, kind, point_kind_name),
	COLUMN(recording_point, name, TEXT),
	{.name = "found",
	 .type = COLUMN_FLAG,
	 .offset = offsetof(struct recording_point, is_found),
	 .since = 10,
	 .before = "0"},
};

static const struct column experiment_columns[] = {
	COLUMN(recording_experiment, id, ID),
	REFERENCE(recording_experiment, run_id, run),
	REFERENCE(recording_experiment, target_id, target),
	COLUMN(recording_experiment, speedup, REAL),
	COLUMN(recording_experiment, start_ns, COUNT),
	COLUMN(recording_experiment, duration_ns, COUNT),
	COLUMN(recording_experiment, delay_ns, COUNT),
	COLUMN(recording_experiment, target_ns, COUNT),
	COLUMN(recording_experiment, sampled_ns, COUNT),
	COLUMN(recording_experiment, displaced_ns, COUNT),
	COLUMN(recording_experiment, capped, COUNT),
	CHOICE(recording_experiment, verdict, verdict_name),
	{.name = "series_index",
	 .type = COLUMN_STATUS,
	 .offset = offsetof(struct recording_experiment, series_index),
	 .since = 8,
	 .before = "-1"},
	{.name = "unrecognized_ns",
	 .type = COLUMN_COUNT,
	 .offset = offsetof(struct recording_experiment, unrecognized_ns),
	 .since = 10,
	 .before = "0"},
	{.name = "period_ns",
	 .type = COLUMN_COUNT,
	 .offset = offsetof(struct recording_experiment, period_ns),
	 .since = 15,
	 .before = "0"},
	{.name = "target_alone_ns",
	 .type = COLUMN_COUNT,
	 .offset = offsetof(struct recording_experiment, target_alone_ns),
	 .since = 19,
	 .before = "0"},
	{.name = "waited_ns",
	 .type = COLUMN_COUNT,
	 .offset = offsetof(struct recording_experiment, waited_ns),
	 .since = 22,
	 .before = "0"},
	{.name = "cpu_ns",
	 .type = COLUMN_COUNT,
	 .offset = offsetof(struct recording_experiment, cpu_ns),
	 .since = 23,
	 .before = "0"},
};

static const struct column visit_columns[] = {
	REFERENCE(schema_visit, experiment_id, experiment),
	{.name = "point_id",
	 .type = COLUMN_ID,
	 .offset = offsetof(struct schema_visit, visit.point_id),
	 .refers = "point"},
	VISIT_COLUMN(visits, REAL),
	VISIT_COLUMN(duration_ns, COUNT),
	VISIT_COLUMN(delay_ns, COUNT),
	VISIT_COLUMN(in_flight, REAL),
};

static const struct column sample_columns[] = {
	REFERENCE(recording_sample, run_id, run),
	REFERENCE(recording_sample, target_id, target),
	COLUMN(recording_sample, samples, COUNT),
	COLUMN(recording_sample, sampled_ns, COUNT),
	NAMED(recording_sample, baseline_sampled_ns, "calm_sampled_ns", COUNT),
	{.name = "calm_alone_ns",
	 .type = COLUMN_COUNT,
	 .offset = offsetof(struct recording_sample, baseline_alone_ns),
	 .since = 19,
	 .before = "0"},
};

static const struct column total_columns[] = {
	REFERENCE(recording_total, run_id, run),
	REFERENCE(recording_total, point_id, point),
	COLUMN(recording_total, visits, COUNT),
};

static const struct column process_visits_columns[] = {
	REFERENCE(recording_process_visits, run_id, run),
	REFERENCE(recording_process_visits, point_id, point),
	COLUMN(recording_process_visits, pid, WORD),
	COLUMN(recording_process_visits, command, TEXT),
	COLUMN(recording_process_visits, visits, COUNT),
};

static const struct column frame_columns[] = {
	COLUMN(recording_frame, id, ID),
	CHOICE(recording_frame, kind, frame_kind_name),
	COLUMN(recording_frame, function, TEXT),
	COLUMN(recording_frame, file, TEXT),
	COLUMN(recording_frame, line, WORD),
	COLUMN(recording_frame, object, TEXT),
	{.name = "content",
	 .type = COLUMN_TEXT,
	 .offset = offsetof(struct recording_frame, content),
	 .since = 21,
	 .before = "NULL"},
};

static const struct column stack_columns[] = {
	COLUMN(recording_stack, id, ID),
	COLUMN(recording_stack, caller_id, COUNT),
	REFERENCE(recording_stack, frame_id, frame),
};

static const struct column thread_columns[] = {
	COLUMN(recording_thread, id, ID),        REFERENCE(recording_thread, run_id, run),
	COLUMN(recording_thread, pid, WORD),     COLUMN(recording_thread, tid, WORD),
	COLUMN(recording_thread, command, TEXT),
};

static const struct column stack_sample_columns[] = {
	COLUMN(recording_stack_sample, id, ID),
	REFERENCE(recording_stack_sample, run_id, run),
	REFERENCE(recording_stack_sample, thread_id, thread),
	COLUMN(recording_stack_sample, stack_id, COUNT),
	CHOICE(recording_stack_sample, class, sample_class_name),
	COLUMN(recording_stack_sample, subclass, TEXT),
	COLUMN(recording_stack_sample, system_call, TEXT),
	COLUMN(recording_stack_sample, address, BITS),
	COLUMN(recording_stack_sample, samples, COUNT),
	COLUMN(recording_stack_sample, weight_ns, COUNT),
	COLUMN(recording_stack_sample, variance, REAL),
	{.name = "resource",
	 .type = COLUMN_TEXT,
	 .offset = offsetof(struct recording_stack_sample, resource),
	 .since = 10,
	 .before = "NULL"},
};

static const struct column wakeup_columns[] = {
	COLUMN(recording_wakeup, id, ID),
	REFERENCE(recording_wakeup, run_id, run),
	REFERENCE(recording_wakeup, thread_id, thread),
	COLUMN(recording_wakeup, stack_id, COUNT),
	COLUMN(recording_wakeup, pid, WORD),
	COLUMN(recording_wakeup, address, BITS),
	COLUMN(recording_wakeup, samples, COUNT),
	COLUMN(recording_wakeup, weight_ns, COUNT),
};

static const struct column string_columns[] = {
	COLUMN(recording_string, id, ID),
	REFERENCE(recording_string, run_id, run),
	COLUMN(recording_string, number, WORD),
	COLUMN(recording_string, text, TEXT),
};

static const struct column chunk_columns[] = {
	COLUMN(recording_chunk, id, ID),
	REFERENCE(recording_chunk, run_id, run),
	CHOICE(recording_chunk, kind, chunk_kind_name),
	COLUMN(recording_chunk, cpu, WORD),
	COLUMN(recording_chunk, pid, WORD),
	COLUMN(recording_chunk, tid, WORD),
	COLUMN(recording_chunk, start_ns, COUNT),
	COLUMN(recording_chunk, end_ns, COUNT),
	COLUMN(recording_chunk, events, COUNT),
	COLUMN(recording_chunk, lost, COUNT),
	COLUMN(recording_chunk, data, BYTES),
};

static const struct column parallel_columns[] = {
	REFERENCE(recording_parallel, run_id, run),
	COLUMN(recording_parallel, session_id, ID),
	COLUMN(recording_parallel, asked, TEXT),
	COLUMN(recording_parallel, cores, WORD),
	COLUMN(recording_parallel, machine_cores, WORD),
	COLUMN(recording_parallel, hides_cores, FLAG),
	COLUMN(recording_parallel, threads, WORD),
	COLUMN(recording_parallel, processes, WORD),
	COLUMN(recording_parallel, most_threads, WORD),
	COLUMN(recording_parallel, switches, COUNT),
	COLUMN(recording_parallel, wakes, COUNT),
	COLUMN(recording_parallel, yields, COUNT),
	COLUMN(recording_parallel, escapes, COUNT),
	COLUMN(recording_parallel, overwritten, COUNT),
	COLUMN(recording_parallel, stolen_ns, COUNT),
};

static const struct column level_columns[] = {
	REFERENCE(recording_level, run_id, run),      COLUMN(recording_level, slice, WORD),
	COLUMN(recording_level, threads, WORD),       COLUMN(recording_level, begin_ns, COUNT),
	COLUMN(recording_level, wall_ns, COUNT),      COLUMN(recording_level, running_ns, COUNT),
	COLUMN(recording_level, displaced_ns, COUNT), COLUMN(recording_level, lock_ns, COUNT),
	COLUMN(recording_level, io_ns, COUNT),        COLUMN(recording_level, timer_ns, COUNT),
	COLUMN(recording_level, condition_ns, COUNT), COLUMN(recording_level, other_ns, COUNT),
};

static const struct column overhead_columns[] = {
	REFERENCE(recording_overhead, run_id, run),
	COLUMN(recording_overhead, engine_ns, COUNT),
	COLUMN(recording_overhead, knows_kernel, FLAG),
	COLUMN(recording_overhead, kernel_ns, COUNT),
};

static const struct column run_conditions_columns[] = {
	REFERENCE(recording_run_conditions, run_id, run),
	COLUMN(recording_run_conditions, is_recorded, FLAG),
	COLUMN(recording_run_conditions, is_cut, FLAG),
	NAMED(recording_run_conditions, inspections, "looks", COUNT),
	COLUMN(recording_run_conditions, spinning, COUNT),
	COLUMN(recording_run_conditions, alone_speed, REAL),
	COLUMN(recording_run_conditions, together_speed, REAL),
};

static const struct column what_if_columns[] = {
	REFERENCE(recording_what_if, session_id, run),
	CHOICE(recording_what_if, kind, target_kind_name),
	COLUMN(recording_what_if, name, TEXT),
	COLUMN(recording_what_if, function, TEXT),
	COLUMN(recording_what_if, file, TEXT),
	COLUMN(recording_what_if, object, TEXT),
	COLUMN(recording_what_if, line, WORD),
	COLUMN(recording_what_if, speedup, REAL),
	COLUMN(recording_what_if, gain_ppm, STATUS),
	COLUMN(recording_what_if, low_ppm, STATUS),
	COLUMN(recording_what_if, high_ppm, STATUS),
};

static const struct column target_sample_columns[] = {
	REFERENCE(recording_target_sample, run_id, run),
	COLUMN(recording_target_sample, tid, WORD),
	COLUMN(recording_target_sample, time_ns, COUNT),
	COLUMN(recording_target_sample, weight_ns, COUNT),
	COLUMN(recording_target_sample, is_waiting, FLAG),
};

static const struct column steal_columns[] = {
	REFERENCE(recording_steal, run_id, run),
	COLUMN(recording_steal, slice, WORD),
	COLUMN(recording_steal, stolen_ns, COUNT),
};

static const struct column length_columns[] = {
	REFERENCE(recording_length, experiment_id, experiment),
	REFERENCE(recording_length, point_id, point),
	COLUMN(recording_length, bucket, WORD),
	COLUMN(recording_length, spans, COUNT),
	COLUMN(recording_length, weight, REAL),
	COLUMN(recording_length, length_ns, REAL),
	COLUMN(recording_length, credit_ns, REAL),
	COLUMN(recording_length, credit_squares, REAL),
	COLUMN(recording_length, credit_cubes, REAL),
};

static const struct column mark_columns[] = {
	REFERENCE(recording_mark, experiment_id, experiment),
	REFERENCE(recording_mark, point_id, point),
	COLUMN(recording_mark, number, WORD),
	COLUMN(recording_mark, visits, REAL),
	COLUMN(recording_mark, duration_ns, COUNT),
	COLUMN(recording_mark, delay_ns, COUNT),
	COLUMN(recording_mark, elapsed_ns, COUNT),
	COLUMN(recording_mark, sampled_ns, COUNT),
	COLUMN(recording_mark, displaced_ns, COUNT),
	{.name = "cpu_ns",
	 .type = COLUMN_COUNT,
	 .offset = offsetof(struct recording_mark, cpu_ns),
	 .since = 23,
	 .before = "0"},
};

static const struct column clock_columns[] = {
	REFERENCE(recording_clock, run_id, run),  REFERENCE(recording_clock, first_run_id, run),
	COLUMN(recording_clock, time_ns, COUNT),  COLUMN(recording_clock, low_ns, SIGNED),
	COLUMN(recording_clock, high_ns, SIGNED),
};

#define SHAPE(noun, row)                                                                    \
	.columns = noun##_columns, .count = sizeof(noun##_columns) / sizeof(struct column), \
	.row_size = sizeof(struct row)
/* A table of rows of their own; KEPT: a row replaces an older one with the same key. */
#define TABLE(title, noun, array, first, primary)                                         \
	{                                                                                 \
		.name = title, SHAPE(noun, recording_##noun),                             \
		.rows = offsetof(struct recording, array), .since = first, .key = primary \
	}
#define KEPT(title, noun, array, first, primary)                                           \
	{                                                                                  \
		.name = title, SHAPE(noun, recording_##noun),                              \
		.rows = offsetof(struct recording, array), .since = first, .key = primary, \
		.replaces = true                                                           \
	}
/* A table of what belongs to experiments. */
#define PARTS(title, noun, row, first, primary)                                        \
	{                                                                              \
		.name = title, SHAPE(noun, row), .rows = SCHEMA_PARTS, .since = first, \
		.key = primary                                                         \
	}

const struct table schema_tables[TABLES] = {
	[TABLE_RUN] = TABLE("run", run, runs, 1, "id"),
	[TABLE_TARGET] = TABLE("target", target, targets, 1, "id"),
	[TABLE_POINT] = TABLE("point", point, points, 1, "id"),
	[TABLE_EXPERIMENT] = TABLE("experiment", experiment, experiments, 1, "id"),
	[TABLE_VISIT] = PARTS("visit", visit, schema_visit, 1, "experiment_id, point_id"),
	[TABLE_SAMPLE] = KEPT("sample", sample, samples, 1, "run_id, target_id"),
	[TABLE_TOTAL] = KEPT("total", total, totals, 1, "run_id, point_id"),
	[TABLE_FRAME] = TABLE("frame", frame, frames, 2, "id"),
	[TABLE_STACK] = TABLE("stack", stack, stacks, 2, "id"),
	[TABLE_THREAD] = TABLE("thread", thread, threads, 2, "id"),
	[TABLE_STACK_SAMPLE] = KEPT("moment", stack_sample, stack_samples, 2, "id"),
	[TABLE_STRING] = TABLE("word", string, strings, 3, "id"),
	[TABLE_CHUNK] = TABLE("chunk", chunk, chunks, 3, "id"),
	[TABLE_PARALLEL] = KEPT("parallel", parallel, parallels, 4, "run_id"),
	[TABLE_LEVEL] = KEPT("level", level, levels, 4, "run_id, slice, threads"),
	[TABLE_PROCESS_VISITS] =
		KEPT("visitor", process_visits, process_visits, 5, "run_id, point_id, pid"),
	[TABLE_OVERHEAD] = KEPT("cost", overhead, overheads, 5, "run_id"),
	[TABLE_RUN_CONDITIONS] = KEPT("circumstance", run_conditions, run_conditions, 6, "run_id"),
	[TABLE_WHAT_IF] = KEPT("question", what_if, what_ifs, 6, "session_id"),
	[TABLE_TARGET_SAMPLE] = TABLE("hit", target_sample, target_samples, 6, NULL),
	[TABLE_STEAL] = TABLE("theft", steal, steals, 7, "run_id, slice"),
	[TABLE_MEMBER] = KEPT("member", member, members, 10, "target_id, kind, name"),
	[TABLE_SET_SEARCH] = KEPT("search", set_search, set_searches, 11, "run_id, search"),
	[TABLE_SET_MEASURE] =
		KEPT("searched", set_measure, set_measures, 11, "run_id, search, members"),
	[TABLE_CALL_EDGE] =
		KEPT("call_edge", call_edge, call_edges, 11, "run_id, outer_id, inner_id"),
	[TABLE_LENGTH] =
		PARTS("length", length, recording_length, 7, "experiment_id, point_id, bucket"),
	[TABLE_WAKEUP] = KEPT("wakeup", wakeup, wakeups, 10, "id"),
	[TABLE_MARK] = PARTS("mark", mark, recording_mark, 13, "experiment_id, point_id, number"),
	[TABLE_CLOCK] = KEPT("clock", clock, clocks, 16, "run_id, time_ns"),
};

/* A column's type in SQL; SQLite enforces it in `STRICT` tables. */
static const char *const sql_types[] = {
	[COLUMN_ID] = "INTEGER NOT NULL",   [COLUMN_COUNT] = "INTEGER NOT NULL",
	[COLUMN_BITS] = "INTEGER NOT NULL", [COLUMN_SIGNED] = "INTEGER NOT NULL",
	[COLUMN_WORD] = "INTEGER NOT NULL", [COLUMN_STATUS] = "INTEGER NOT NULL",
	[COLUMN_FLAG] = "INTEGER NOT NULL", [COLUMN_REAL] = "REAL NOT NULL",
	[COLUMN_CHOICE] = "TEXT NOT NULL",  [COLUMN_TEXT] = "TEXT",
	[COLUMN_BYTES] = "BLOB NOT NULL",
};

bool schema_has_id(const struct table *table)
{
	return table->key && !strcmp(table->key, "id") && !strcmp(table->columns[0].name, "id");
}

static char *column_sql(const struct table *table, const struct column *column)
{
	bool is_key = table->key && !strcmp(table->key, column->name);

	return text_format("  %s %s%s%s%s", column->name,
			   is_key ? "INTEGER PRIMARY KEY" : sql_types[column->type],
			   column->refers ? " REFERENCES " : "",
			   column->refers ? column->refers : "", column->refers ? "(id)" : "");
}

char *schema_add_column(const struct table *table, const struct column *column)
{
	return text_format("ALTER TABLE %s ADD COLUMN %s %s DEFAULT %s", table->name, column->name,
			   sql_types[column->type], column->before);
}

char *schema_create(const struct table *table)
{
	bool has_long_key = table->key && strchr(table->key, ',');
	AUTO(text) char *columns = text_copy("");

	for (size_t i = 0; i < table->count; i++) {
		AUTO(text) char *before = columns;
		AUTO(text) char *column = column_sql(table, &table->columns[i]);
		columns = text_format("%s%s%s", before, i ? ",\n" : "", column);
	}
	if (!has_long_key)
		return text_format("CREATE TABLE %s (\n%s\n) STRICT", table->name, columns);
	return text_format("CREATE TABLE %s (\n%s,\n  PRIMARY KEY (%s)\n) STRICT, WITHOUT ROWID",
			   table->name, columns, table->key);
}
