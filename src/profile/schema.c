/* SPDX-License-Identifier: BSD-2-Clause */
/* schema - the tables of a profile, version 7. */
#include "profile/schema.h"

#define COLUMN(row, field, kind)                                               \
	{                                                                      \
#field, COLUMN_##kind, offsetof(struct row, field), NULL, NULL \
	}
#define CHOICE(row, field, names)                                               \
	{                                                                       \
#field, COLUMN_CHOICE, offsetof(struct row, field), names, NULL \
	}
#define VISIT_COLUMN(field, kind)                                                             \
	{                                                                                     \
#field, COLUMN_##kind, offsetof(struct schema_visit, visit.field), NULL, NULL \
	}

static const struct column run_columns[] = {
	COLUMN(recording_run, id, ID),
	COLUMN(recording_run, command, TEXT),
	COLUMN(recording_run, engine, TEXT),
	COLUMN(recording_run, host, TEXT),
	COLUMN(recording_run, kernel, TEXT),
	COLUMN(recording_run, version, TEXT),
	COLUMN(recording_run, granularity, TEXT),
	COLUMN(recording_run, started_s, SECONDS),
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
	COLUMN(recording_run, calm_ns, COUNT),
	COLUMN(recording_run, exit_status, STATUS),
	COLUMN(recording_run, finished, FLAG),
	COLUMN(recording_run, note, TEXT),
	{"kind", COLUMN_CHOICE, offsetof(struct recording_run, kind), run_kind_name, "'causal'"},
};

static const struct column target_columns[] = {
	COLUMN(recording_target, id, ID),       CHOICE(recording_target, kind, target_kind_name),
	COLUMN(recording_target, name, TEXT),   COLUMN(recording_target, function, TEXT),
	COLUMN(recording_target, file, TEXT),   COLUMN(recording_target, line, WORD),
	COLUMN(recording_target, object, TEXT), COLUMN(recording_target, build_id, TEXT),
};

static const struct column point_columns[] = {
	COLUMN(recording_point, id, ID),
	CHOICE(recording_point, kind, point_kind_name),
	COLUMN(recording_point, name, TEXT),
};

static const struct column experiment_columns[] = {
	COLUMN(recording_experiment, id, ID),
	COLUMN(recording_experiment, run_id, ID),
	COLUMN(recording_experiment, target_id, ID),
	COLUMN(recording_experiment, speedup, REAL),
	COLUMN(recording_experiment, start_ns, COUNT),
	COLUMN(recording_experiment, duration_ns, COUNT),
	COLUMN(recording_experiment, delay_ns, COUNT),
	COLUMN(recording_experiment, target_ns, COUNT),
	COLUMN(recording_experiment, sampled_ns, COUNT),
	COLUMN(recording_experiment, displaced_ns, COUNT),
	COLUMN(recording_experiment, capped, COUNT),
	CHOICE(recording_experiment, verdict, verdict_name),
};

static const struct column visit_columns[] = {
	COLUMN(schema_visit, experiment_id, ID),
	VISIT_COLUMN(point_id, ID),
	VISIT_COLUMN(visits, REAL),
	VISIT_COLUMN(duration_ns, COUNT),
	VISIT_COLUMN(delay_ns, COUNT),
	VISIT_COLUMN(in_flight, REAL),
};

static const struct column sample_columns[] = {
	COLUMN(recording_sample, run_id, ID),
	COLUMN(recording_sample, target_id, ID),
	COLUMN(recording_sample, samples, COUNT),
	COLUMN(recording_sample, sampled_ns, COUNT),
	COLUMN(recording_sample, calm_sampled_ns, COUNT),
};

static const struct column total_columns[] = {
	COLUMN(recording_total, run_id, ID),
	COLUMN(recording_total, point_id, ID),
	COLUMN(recording_total, visits, COUNT),
};

static const struct column visitor_columns[] = {
	COLUMN(recording_visitor, run_id, ID),    COLUMN(recording_visitor, point_id, ID),
	COLUMN(recording_visitor, pid, WORD),     COLUMN(recording_visitor, command, TEXT),
	COLUMN(recording_visitor, visits, COUNT),
};

static const struct column frame_columns[] = {
	COLUMN(recording_frame, id, ID),         CHOICE(recording_frame, kind, frame_kind_name),
	COLUMN(recording_frame, function, TEXT), COLUMN(recording_frame, file, TEXT),
	COLUMN(recording_frame, line, WORD),     COLUMN(recording_frame, object, TEXT),
};

static const struct column stack_columns[] = {
	COLUMN(recording_stack, id, ID),
	COLUMN(recording_stack, caller_id, COUNT),
	COLUMN(recording_stack, frame_id, ID),
};

static const struct column thread_columns[] = {
	COLUMN(recording_thread, id, ID),        COLUMN(recording_thread, run_id, ID),
	COLUMN(recording_thread, pid, WORD),     COLUMN(recording_thread, tid, WORD),
	COLUMN(recording_thread, command, TEXT),
};

static const struct column moment_columns[] = {
	COLUMN(recording_moment, id, ID),
	COLUMN(recording_moment, run_id, ID),
	COLUMN(recording_moment, thread_id, ID),
	COLUMN(recording_moment, stack_id, COUNT),
	CHOICE(recording_moment, class, sample_class_name),
	COLUMN(recording_moment, subclass, TEXT),
	COLUMN(recording_moment, system_call, TEXT),
	COLUMN(recording_moment, address, BITS),
	COLUMN(recording_moment, samples, COUNT),
	COLUMN(recording_moment, weight_ns, COUNT),
	COLUMN(recording_moment, variance, REAL),
};

static const struct column word_columns[] = {
	COLUMN(recording_word, id, ID),
	COLUMN(recording_word, run_id, ID),
	COLUMN(recording_word, number, WORD),
	COLUMN(recording_word, text, TEXT),
};

static const struct column chunk_columns[] = {
	COLUMN(recording_chunk, id, ID),
	COLUMN(recording_chunk, run_id, ID),
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
	COLUMN(recording_parallel, run_id, ID),
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
	COLUMN(recording_level, run_id, ID),          COLUMN(recording_level, slice, WORD),
	COLUMN(recording_level, threads, WORD),       COLUMN(recording_level, begin_ns, COUNT),
	COLUMN(recording_level, wall_ns, COUNT),      COLUMN(recording_level, running_ns, COUNT),
	COLUMN(recording_level, displaced_ns, COUNT), COLUMN(recording_level, lock_ns, COUNT),
	COLUMN(recording_level, io_ns, COUNT),        COLUMN(recording_level, timer_ns, COUNT),
	COLUMN(recording_level, condition_ns, COUNT), COLUMN(recording_level, other_ns, COUNT),
};

static const struct column cost_columns[] = {
	COLUMN(recording_cost, run_id, ID),
	COLUMN(recording_cost, engine_ns, COUNT),
	COLUMN(recording_cost, knows_kernel, FLAG),
	COLUMN(recording_cost, kernel_ns, COUNT),
};

static const struct column circumstance_columns[] = {
	COLUMN(recording_circumstance, run_id, ID),
	COLUMN(recording_circumstance, is_recorded, FLAG),
	COLUMN(recording_circumstance, is_cut, FLAG),
	COLUMN(recording_circumstance, looks, COUNT),
	COLUMN(recording_circumstance, spinning, COUNT),
	COLUMN(recording_circumstance, alone_speed, REAL),
	COLUMN(recording_circumstance, together_speed, REAL),
};

static const struct column question_columns[] = {
	COLUMN(recording_question, session_id, ID),
	CHOICE(recording_question, kind, target_kind_name),
	COLUMN(recording_question, name, TEXT),
	COLUMN(recording_question, function, TEXT),
	COLUMN(recording_question, file, TEXT),
	COLUMN(recording_question, object, TEXT),
	COLUMN(recording_question, line, WORD),
	COLUMN(recording_question, speedup, REAL),
	COLUMN(recording_question, gain_ppm, STATUS),
	COLUMN(recording_question, low_ppm, STATUS),
	COLUMN(recording_question, high_ppm, STATUS),
};

static const struct column hit_columns[] = {
	COLUMN(recording_hit, run_id, ID),       COLUMN(recording_hit, tid, WORD),
	COLUMN(recording_hit, time_ns, COUNT),   COLUMN(recording_hit, weight_ns, COUNT),
	COLUMN(recording_hit, is_waiting, FLAG),
};

static const struct column theft_columns[] = {
	COLUMN(recording_theft, run_id, ID),
	COLUMN(recording_theft, slice, WORD),
	COLUMN(recording_theft, stolen_ns, COUNT),
};

static const struct column length_columns[] = {
	COLUMN(recording_length, experiment_id, ID),
	COLUMN(recording_length, point_id, ID),
	COLUMN(recording_length, bucket, WORD),
	COLUMN(recording_length, spans, COUNT),
	COLUMN(recording_length, weight, REAL),
	COLUMN(recording_length, length_ns, REAL),
	COLUMN(recording_length, credit_ns, REAL),
	COLUMN(recording_length, credit_squares, REAL),
	COLUMN(recording_length, credit_cubes, REAL),
};

const char schema_upgrade[] = "ALTER TABLE run ADD COLUMN kind TEXT NOT NULL DEFAULT 'causal'";

#define TABLE_SINCE(name, since, sql)                                                             \
	{                                                                                         \
#name, sql, name##_columns, sizeof(name##_columns) / sizeof(struct column), since \
	}
#define TABLE(name, sql) TABLE_SINCE(name, 1, sql)

/* clang-format off */
const struct table schema_tables[TABLES] = {
	[TABLE_RUN] = TABLE(run,
		"CREATE TABLE run (\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  command TEXT,\n"
		"  engine TEXT,\n"
		"  host TEXT,\n"
		"  kernel TEXT,\n"
		"  version TEXT,\n"
		"  granularity TEXT,\n"
		"  started_s INTEGER NOT NULL,\n"
		"  wall_ns INTEGER NOT NULL,\n"
		"  delay_ns INTEGER NOT NULL,\n"
		"  seed INTEGER NOT NULL,\n"
		"  period_ns INTEGER NOT NULL,\n"
		"  interrupt_share REAL NOT NULL,\n"
		"  samples INTEGER NOT NULL,\n"
		"  lost INTEGER NOT NULL,\n"
		"  capped INTEGER NOT NULL,\n"
		"  unwound_badly INTEGER NOT NULL,\n"
		"  sampled_ns INTEGER NOT NULL,\n"
		"  paused_ns INTEGER NOT NULL,\n"
		"  calm_ns INTEGER NOT NULL,\n"
		"  exit_status INTEGER NOT NULL,\n"
		"  finished INTEGER NOT NULL,\n"
		"  note TEXT,\n"
		"  kind TEXT NOT NULL\n"
		") STRICT"),
	[TABLE_TARGET] = TABLE(target,
		"CREATE TABLE target (\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  kind TEXT NOT NULL,\n"
		"  name TEXT,\n"
		"  function TEXT,\n"
		"  file TEXT,\n"
		"  line INTEGER NOT NULL,\n"
		"  object TEXT,\n"
		"  build_id TEXT\n"
		") STRICT"),
	[TABLE_POINT] = TABLE(point,
		"CREATE TABLE point (\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  kind TEXT NOT NULL,\n"
		"  name TEXT\n"
		") STRICT"),
	[TABLE_EXPERIMENT] = TABLE(experiment,
		"CREATE TABLE experiment (\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  run_id INTEGER NOT NULL REFERENCES run(id),\n"
		"  target_id INTEGER NOT NULL REFERENCES target(id),\n"
		"  speedup REAL NOT NULL,\n"
		"  start_ns INTEGER NOT NULL,\n"
		"  duration_ns INTEGER NOT NULL,\n"
		"  delay_ns INTEGER NOT NULL,\n"
		"  target_ns INTEGER NOT NULL,\n"
		"  sampled_ns INTEGER NOT NULL,\n"
		"  displaced_ns INTEGER NOT NULL,\n"
		"  capped INTEGER NOT NULL,\n"
		"  verdict TEXT NOT NULL\n"
		") STRICT"),
	[TABLE_VISIT] = TABLE(visit,
		"CREATE TABLE visit (\n"
		"  experiment_id INTEGER NOT NULL REFERENCES experiment(id),\n"
		"  point_id INTEGER NOT NULL REFERENCES point(id),\n"
		"  visits REAL NOT NULL,\n"
		"  duration_ns INTEGER NOT NULL,\n"
		"  delay_ns INTEGER NOT NULL,\n"
		"  in_flight REAL NOT NULL,\n"
		"  PRIMARY KEY (experiment_id, point_id)\n"
		") STRICT, WITHOUT ROWID"),
	[TABLE_SAMPLE] = TABLE(sample,
		"CREATE TABLE sample (\n"
		"  run_id INTEGER NOT NULL REFERENCES run(id),\n"
		"  target_id INTEGER NOT NULL REFERENCES target(id),\n"
		"  samples INTEGER NOT NULL,\n"
		"  sampled_ns INTEGER NOT NULL,\n"
		"  calm_sampled_ns INTEGER NOT NULL,\n"
		"  PRIMARY KEY (run_id, target_id)\n"
		") STRICT, WITHOUT ROWID"),
	[TABLE_TOTAL] = TABLE(total,
		"CREATE TABLE total (\n"
		"  run_id INTEGER NOT NULL REFERENCES run(id),\n"
		"  point_id INTEGER NOT NULL REFERENCES point(id),\n"
		"  visits INTEGER NOT NULL,\n"
		"  PRIMARY KEY (run_id, point_id)\n"
		") STRICT, WITHOUT ROWID"),
	[TABLE_FRAME] = TABLE_SINCE(frame, 2,
		"CREATE TABLE frame (\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  kind TEXT NOT NULL,\n"
		"  function TEXT,\n"
		"  file TEXT,\n"
		"  line INTEGER NOT NULL,\n"
		"  object TEXT\n"
		") STRICT"),
	[TABLE_STACK] = TABLE_SINCE(stack, 2,
		"CREATE TABLE stack (\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  caller_id INTEGER NOT NULL,\n"
		"  frame_id INTEGER NOT NULL REFERENCES frame(id)\n"
		") STRICT"),
	[TABLE_THREAD] = TABLE_SINCE(thread, 2,
		"CREATE TABLE thread (\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  run_id INTEGER NOT NULL REFERENCES run(id),\n"
		"  pid INTEGER NOT NULL,\n"
		"  tid INTEGER NOT NULL,\n"
		"  command TEXT\n"
		") STRICT"),
	[TABLE_MOMENT] = TABLE_SINCE(moment, 2,
		"CREATE TABLE moment (\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  run_id INTEGER NOT NULL REFERENCES run(id),\n"
		"  thread_id INTEGER NOT NULL REFERENCES thread(id),\n"
		"  stack_id INTEGER NOT NULL,\n"
		"  class TEXT NOT NULL,\n"
		"  subclass TEXT,\n"
		"  system_call TEXT,\n"
		"  address INTEGER NOT NULL,\n"
		"  samples INTEGER NOT NULL,\n"
		"  weight_ns INTEGER NOT NULL,\n"
		"  variance REAL NOT NULL\n"
		") STRICT"),
	[TABLE_WORD] = TABLE_SINCE(word, 3,
		"CREATE TABLE word (\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  run_id INTEGER NOT NULL REFERENCES run(id),\n"
		"  number INTEGER NOT NULL,\n"
		"  text TEXT\n"
		") STRICT"),
	[TABLE_CHUNK] = TABLE_SINCE(chunk, 3,
		"CREATE TABLE chunk (\n"
		"  id INTEGER PRIMARY KEY,\n"
		"  run_id INTEGER NOT NULL REFERENCES run(id),\n"
		"  kind TEXT NOT NULL,\n"
		"  cpu INTEGER NOT NULL,\n"
		"  pid INTEGER NOT NULL,\n"
		"  tid INTEGER NOT NULL,\n"
		"  start_ns INTEGER NOT NULL,\n"
		"  end_ns INTEGER NOT NULL,\n"
		"  events INTEGER NOT NULL,\n"
		"  lost INTEGER NOT NULL,\n"
		"  data BLOB NOT NULL\n"
		") STRICT"),
	[TABLE_PARALLEL] = TABLE_SINCE(parallel, 4,
		"CREATE TABLE parallel (\n"
		"  run_id INTEGER PRIMARY KEY REFERENCES run(id),\n"
		"  session_id INTEGER NOT NULL,\n"
		"  asked TEXT,\n"
		"  cores INTEGER NOT NULL,\n"
		"  machine_cores INTEGER NOT NULL,\n"
		"  hides_cores INTEGER NOT NULL,\n"
		"  threads INTEGER NOT NULL,\n"
		"  processes INTEGER NOT NULL,\n"
		"  most_threads INTEGER NOT NULL,\n"
		"  switches INTEGER NOT NULL,\n"
		"  wakes INTEGER NOT NULL,\n"
		"  yields INTEGER NOT NULL,\n"
		"  escapes INTEGER NOT NULL,\n"
		"  overwritten INTEGER NOT NULL,\n"
		"  stolen_ns INTEGER NOT NULL\n"
		") STRICT"),
	[TABLE_LEVEL] = TABLE_SINCE(level, 4,
		"CREATE TABLE level (\n"
		"  run_id INTEGER NOT NULL REFERENCES run(id),\n"
		"  slice INTEGER NOT NULL,\n"
		"  threads INTEGER NOT NULL,\n"
		"  begin_ns INTEGER NOT NULL,\n"
		"  wall_ns INTEGER NOT NULL,\n"
		"  running_ns INTEGER NOT NULL,\n"
		"  displaced_ns INTEGER NOT NULL,\n"
		"  lock_ns INTEGER NOT NULL,\n"
		"  io_ns INTEGER NOT NULL,\n"
		"  timer_ns INTEGER NOT NULL,\n"
		"  condition_ns INTEGER NOT NULL,\n"
		"  other_ns INTEGER NOT NULL,\n"
		"  PRIMARY KEY (run_id, slice, threads)\n"
		") STRICT, WITHOUT ROWID"),
	[TABLE_VISITOR] = TABLE_SINCE(visitor, 5,
		"CREATE TABLE visitor (\n"
		"  run_id INTEGER NOT NULL REFERENCES run(id),\n"
		"  point_id INTEGER NOT NULL REFERENCES point(id),\n"
		"  pid INTEGER NOT NULL,\n"
		"  command TEXT,\n"
		"  visits INTEGER NOT NULL,\n"
		"  PRIMARY KEY (run_id, point_id, pid)\n"
		") STRICT, WITHOUT ROWID"),
	[TABLE_COST] = TABLE_SINCE(cost, 5,
		"CREATE TABLE cost (\n"
		"  run_id INTEGER PRIMARY KEY REFERENCES run(id),\n"
		"  engine_ns INTEGER NOT NULL,\n"
		"  knows_kernel INTEGER NOT NULL,\n"
		"  kernel_ns INTEGER NOT NULL\n"
		") STRICT"),
	[TABLE_CIRCUMSTANCE] = TABLE_SINCE(circumstance, 6,
		"CREATE TABLE circumstance (\n"
		"  run_id INTEGER PRIMARY KEY REFERENCES run(id),\n"
		"  is_recorded INTEGER NOT NULL,\n"
		"  is_cut INTEGER NOT NULL,\n"
		"  looks INTEGER NOT NULL,\n"
		"  spinning INTEGER NOT NULL,\n"
		"  alone_speed REAL NOT NULL,\n"
		"  together_speed REAL NOT NULL\n"
		") STRICT"),
	[TABLE_QUESTION] = TABLE_SINCE(question, 6,
		"CREATE TABLE question (\n"
		"  session_id INTEGER PRIMARY KEY REFERENCES run(id),\n"
		"  kind TEXT NOT NULL,\n"
		"  name TEXT,\n"
		"  function TEXT,\n"
		"  file TEXT,\n"
		"  object TEXT,\n"
		"  line INTEGER NOT NULL,\n"
		"  speedup REAL NOT NULL,\n"
		"  gain_ppm INTEGER NOT NULL,\n"
		"  low_ppm INTEGER NOT NULL,\n"
		"  high_ppm INTEGER NOT NULL\n"
		") STRICT"),
	[TABLE_HIT] = TABLE_SINCE(hit, 6,
		"CREATE TABLE hit (\n"
		"  run_id INTEGER NOT NULL REFERENCES run(id),\n"
		"  tid INTEGER NOT NULL,\n"
		"  time_ns INTEGER NOT NULL,\n"
		"  weight_ns INTEGER NOT NULL,\n"
		"  is_waiting INTEGER NOT NULL\n"
		") STRICT"),
	[TABLE_THEFT] = TABLE_SINCE(theft, 7,
		"CREATE TABLE theft (\n"
		"  run_id INTEGER NOT NULL REFERENCES run(id),\n"
		"  slice INTEGER NOT NULL,\n"
		"  stolen_ns INTEGER NOT NULL,\n"
		"  PRIMARY KEY (run_id, slice)\n"
		") STRICT, WITHOUT ROWID"),
	[TABLE_LENGTH] = TABLE_SINCE(length, 7,
		"CREATE TABLE length (\n"
		"  experiment_id INTEGER NOT NULL REFERENCES experiment(id),\n"
		"  point_id INTEGER NOT NULL REFERENCES point(id),\n"
		"  bucket INTEGER NOT NULL,\n"
		"  spans INTEGER NOT NULL,\n"
		"  weight REAL NOT NULL,\n"
		"  length_ns REAL NOT NULL,\n"
		"  credit_ns REAL NOT NULL,\n"
		"  credit_squares REAL NOT NULL,\n"
		"  credit_cubes REAL NOT NULL,\n"
		"  PRIMARY KEY (experiment_id, point_id, bucket)\n"
		") STRICT, WITHOUT ROWID"),
};
/* clang-format on */
