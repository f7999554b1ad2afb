/* SPDX-License-Identifier: BSD-2-Clause */
/* append - rows of one profile in another, with ids of their own; and copies of files. */
#include "base/cleanup.h"
#include "base/hash_map.h"
#include "base/memory.h"
#include "profile/profile.h"
#include "profile/store.h"

#include <errno.h>

struct append {
	struct profile *profile;
	const struct recording *from;
	struct hash_map runs, frames, stacks, threads; /* of the file: its id, here */
};

static int64_t id_of(const struct hash_map *ids, int64_t id)
{
	return id ? (int64_t)hash_map_get(ids, (uint64_t)id, 0) : 0;
}

static bool is_known(const struct hash_map *ids, int64_t id)
{
	return hash_map_get(ids, (uint64_t)id, 0) != HASH_MAP_NONE;
}

static int add_clock(struct append *append, int64_t run_id, const struct profile_host *host,
		     struct error *error)
{
	int code = host->clock_count ?
			   0 :
			   error_set(error, -ENODATA, "it has told nothing about its clock");

	for (size_t i = 0; i < host->clock_count && !code; i++) {
		struct recording_clock clock = host->clock[i];
		clock.run_id = run_id;
		clock.first_run_id = host->first_run_id;
		code = profile_set_clock(append->profile, &clock, error);
	}
	return code;
}

static int add_runs(struct append *append, const struct profile_host *host, struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < append->from->runs.count && !code; i++) {
		struct recording_run run = append->from->runs.items[i];
		if (run.kind != RUN_SAMPLES && run.kind != RUN_TIMELINE && run.kind != RUN_SCALE)
			continue;
		int64_t id = run.id;
		run.host = (char *)(uintptr_t)host->name;
		code = profile_add_run(append->profile, &run, error);
		code = code ? code : profile_update_run(append->profile, &run, error);
		if (!code && run.kind != RUN_SAMPLES)
			code = add_clock(append, run.id, host, error);
		hash_map_set(&append->runs, (uint64_t)id, 0, (uint32_t)run.id);
	}
	for (size_t i = 0; i < append->from->overheads.count && !code; i++) {
		struct recording_overhead overhead = append->from->overheads.items[i];
		if (!is_known(&append->runs, overhead.run_id))
			continue;
		overhead.run_id = id_of(&append->runs, overhead.run_id);
		code = profile_set_overhead(append->profile, &overhead, error);
	}
	return code;
}

/* Callers come before what they call. */
static int add_stacks(struct append *append, struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < append->from->frames.count && !code; i++) {
		struct recording_frame frame = append->from->frames.items[i];
		int64_t id = frame.id;
		code = profile_add_frame(append->profile, &frame, error);
		hash_map_set(&append->frames, (uint64_t)id, 0, (uint32_t)frame.id);
	}
	for (size_t i = 0; i < append->from->stacks.count && !code; i++) {
		struct recording_stack stack = append->from->stacks.items[i];
		int64_t id = stack.id;
		stack.frame_id = id_of(&append->frames, stack.frame_id);
		stack.caller_id = (uint64_t)id_of(&append->stacks, (int64_t)stack.caller_id);
		code = profile_add_stack(append->profile, &stack, error);
		hash_map_set(&append->stacks, (uint64_t)id, 0, (uint32_t)stack.id);
	}
	return code;
}

static int add_threads(struct append *append, struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < append->from->threads.count && !code; i++) {
		struct recording_thread thread = append->from->threads.items[i];
		int64_t id = thread.id;
		if (!is_known(&append->runs, thread.run_id))
			continue;
		thread.run_id = id_of(&append->runs, thread.run_id);
		code = profile_add_thread(append->profile, &thread, error);
		hash_map_set(&append->threads, (uint64_t)id, 0, (uint32_t)thread.id);
	}
	return code;
}

static int add_samples(struct append *append, struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < append->from->stack_samples.count && !code; i++) {
		struct recording_stack_sample sample = append->from->stack_samples.items[i];
		if (!is_known(&append->threads, sample.thread_id))
			continue;
		sample.id = 0;
		sample.run_id = id_of(&append->runs, sample.run_id);
		sample.thread_id = id_of(&append->threads, sample.thread_id);
		sample.stack_id = (uint64_t)id_of(&append->stacks, (int64_t)sample.stack_id);
		code = profile_set_stack_sample(append->profile, &sample, error);
	}
	for (size_t i = 0; i < append->from->wakeups.count && !code; i++) {
		struct recording_wakeup wakeup = append->from->wakeups.items[i];
		if (!is_known(&append->threads, wakeup.thread_id))
			continue;
		wakeup.id = 0;
		wakeup.run_id = id_of(&append->runs, wakeup.run_id);
		wakeup.thread_id = id_of(&append->threads, wakeup.thread_id);
		wakeup.stack_id = (uint64_t)id_of(&append->stacks, (int64_t)wakeup.stack_id);
		code = profile_set_wakeup(append->profile, &wakeup, error);
	}
	return code;
}

static int add_timelines(struct append *append, struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < append->from->strings.count && !code; i++) {
		struct recording_string string = append->from->strings.items[i];
		if (!is_known(&append->runs, string.run_id))
			continue;
		string.run_id = id_of(&append->runs, string.run_id);
		code = profile_add_string(append->profile, &string, error);
	}
	for (size_t i = 0; i < append->from->chunks.count && !code; i++) {
		struct recording_chunk chunk = append->from->chunks.items[i];
		if (!is_known(&append->runs, chunk.run_id))
			continue;
		chunk.run_id = id_of(&append->runs, chunk.run_id);
		code = profile_add_chunk(append->profile, &chunk, error);
	}
	return code;
}

static int add_levels(struct append *append, struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < append->from->levels.count && !code; i++) {
		struct recording_level level = append->from->levels.items[i];
		if (!is_known(&append->runs, level.run_id))
			continue;
		level.run_id = id_of(&append->runs, level.run_id);
		code = profile_set_level(append->profile, &level, error);
	}
	for (size_t i = 0; i < append->from->steals.count && !code; i++) {
		struct recording_steal steal = append->from->steals.items[i];
		if (!is_known(&append->runs, steal.run_id))
			continue;
		steal.run_id = id_of(&append->runs, steal.run_id);
		code = profile_add_steal(append->profile, &steal, error);
	}
	return code;
}

static int add_parallels(struct append *append, const struct profile_host *host,
			 struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < append->from->parallels.count && !code; i++) {
		struct recording_parallel parallel = append->from->parallels.items[i];
		if (!is_known(&append->runs, parallel.run_id))
			continue;
		parallel.run_id = id_of(&append->runs, parallel.run_id);
		parallel.session_id = host->session_id;
		code = profile_set_parallel(append->profile, &parallel, error);
	}
	for (size_t i = 0; i < append->from->run_conditions.count && !code; i++) {
		struct recording_run_conditions conditions = append->from->run_conditions.items[i];
		if (!is_known(&append->runs, conditions.run_id))
			continue;
		conditions.run_id = id_of(&append->runs, conditions.run_id);
		code = profile_set_run_conditions(append->profile, &conditions, error);
	}
	return code ? code : add_levels(append, error);
}

int profile_append(struct profile *profile, const struct recording *from,
		   const struct profile_host *host, struct error *error)
{
	struct append append = {.profile = profile, .from = from};
	int code = add_runs(&append, host, error);

	code = code ? code : add_stacks(&append, error);
	code = code ? code : add_threads(&append, error);
	code = code ? code : add_samples(&append, error);
	code = code ? code : add_timelines(&append, error);
	code = code ? code : add_parallels(&append, host, error);
	hash_map_clear(&append.runs);
	hash_map_clear(&append.frames);
	hash_map_clear(&append.stacks);
	hash_map_clear(&append.threads);
	return code ? code : profile_commit(profile, error);
}

int profile_copy(const char *path, const char *to, struct error *error)
{
	AUTO(store) struct store *store = NULL;
	AUTO(statement) sqlite3_stmt *statement = NULL;
	int code = store_open_to_read(path, &store, error);

	code = code ? code : store_check_pages(store, NULL, error);
	code = code ? code : store_prepare(store, "VACUUM INTO ?1", &statement, error);
	if (code)
		return code;
	sqlite3_bind_text(statement, 1, to, -1, SQLITE_STATIC);
	return sqlite3_step(statement) == SQLITE_DONE ? 0 : store_explain(store, error);
}
