/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sample_recording - a recording for the tests of the profile file, with something in every
 * field.
 */
#pragma once

#include "base/cleanup.h"
#include "profile/profile.h"
#include "profile/schema.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A file in a directory of its own; both go with sample_remove. */
static inline char *sample_path(void)
{
	const char *parent = getenv("TMPDIR");
	char *directory = text_format("%s/lever-test-XXXXXX", parent ? parent : "/tmp");
	if (!mkdtemp(directory))
		abort();
	char *path = text_format("%s/x.lever", directory);
	free(directory);
	return path;
}

static inline char *sample_directory(const char *path)
{
	char *directory = text_copy(path), *slash = directory ? strrchr(directory, '/') : NULL;
	if (slash)
		*slash = 0;
	return directory;
}

/* How many entries the file's directory has. */
static inline unsigned sample_files(const char *path)
{
	char *directory = sample_directory(path);
	DIR *open = opendir(directory);
	unsigned count = 0;
	for (struct dirent *entry; open && (entry = readdir(open));)
		count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	if (open)
		closedir(open);
	free(directory);
	return count;
}

static inline void sample_remove(char *path)
{
	char *directory = sample_directory(path);
	DIR *open = opendir(directory);
	for (struct dirent *entry; open && (entry = readdir(open));) {
		char *one = text_format("%s/%s", directory, entry->d_name);
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			unlink(one);
		free(one);
	}
	if (open)
		closedir(open);
	rmdir(directory);
	free(directory);
	free(path);
}

/* Texts are literals: only to be written, never to be freed. */
static inline struct recording_run sample_run(void)
{
	return (struct recording_run){
		.command = (char *)"[\"./program\", \"-x\"]",
		.engine = (char *)"kernel",
		.host = (char *)"host",
		.machine = (char *)"a processor, 2 cores",
		.kernel = (char *)"6.18.0",
		.version = (char *)"0.1.0",
		.granularity = (char *)"line",
		.started_s = 1700000000,
		.wall_ns = 1,
		.delay_ns = 2,
		.seed = UINT64_MAX - 5,
		.period_ns = 250000,
		.interrupt_share = 0.03125,
		.samples = 3,
		.lost = 4,
		.capped = 5,
		.unwound_badly = 6,
		.sampled_ns = 7,
		.paused_ns = 8,
		.baseline_ns = 9,
		.exit_status = -1,
		.finished = true,
		.note = (char *)"first\nsecond",
	};
}

static inline struct recording_target sample_target(void)
{
	return (struct recording_target){
		.kind = TARGET_FUNCTION,
		.name = (char *)"na\xffme\tof it",
		.function = NULL,
		.file = (char *)"/src/main.c",
		.line = 42,
		.object = (char *)"/bin/program",
		.build_id = (char *)"0123ab",
	};
}

struct sample {
	struct recording_run run;
	struct recording_target target;
	struct recording_point point;
};

/* Opens the file, and adds a run, a target and a point. 0, or a negative errno. */
static inline int sample_begin(const char *path, bool fresh, struct profile **profile,
			       struct sample *sample, struct error *error)
{
	sample->run = sample_run();
	sample->target = sample_target();
	sample->point = (struct recording_point){.kind = POINT_LATENCY, .name = (char *)"job"};
	int code = profile_create(path, fresh, profile, error);
	if (!code)
		code = profile_add_run(*profile, &sample->run, error);
	if (!code)
		code = profile_add_target(*profile, &sample->target, error);
	return code ? code : profile_add_point(*profile, &sample->point, error);
}

static inline int sample_experiment(struct profile *profile, const struct sample *sample,
				    unsigned number, struct error *error)
{
	struct recording_experiment experiment = {
		.run_id = sample->run.id,
		.target_id = sample->target.id,
		.speedup = 0.25,
		.start_ns = 1000 + number,
		.duration_ns = 11,
		.delay_ns = 12,
		.target_ns = 13,
		.sampled_ns = 14,
		.displaced_ns = 15,
		.capped = 16,
		.verdict = VERDICT_TOO_FEW_VISITS,
		.unrecognized_ns = 17,
		.target_alone_ns = 18,
		.series_index = (int)number + 2,
	};
	*array_add(&experiment.visits) =
		(struct recording_visit){sample->point.id, 17.5, 18, 19, 20.25};
	*array_add(&experiment.marks) = (struct recording_mark){.point_id = sample->point.id,
								.number = 1,
								.visits = 7.5,
								.duration_ns = 8,
								.delay_ns = 9,
								.elapsed_ns = 10,
								.sampled_ns = 11,
								.displaced_ns = 12};
	int code = profile_add_experiment(profile, &experiment, error);
	array_free(&experiment.visits);
	array_free(&experiment.marks);
	return code;
}

static inline bool sample_execute(const char *path, const char *sql)
{
	sqlite3 *database;
	bool done = sqlite3_open(path, &database) == SQLITE_OK &&
		    sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK;
	if (!done)
		printf("# %s\n", sqlite3_errmsg(database));
	sqlite3_close(database);
	return done;
}

/* Downgrades the file: drops tables and columns of later versions. */
static inline bool sample_make_older(const char *path, int version)
{
	AUTO(text) char *sql = text_format("PRAGMA user_version=%d", version);

	for (size_t i = TABLES; i-- > 0;) {
		const struct table *table = &schema_tables[i];
		AUTO(text) char *drop = text_format("DROP TABLE %s", table->name);
		if (table->since > version && !sample_execute(path, drop))
			return false;
		for (size_t j = 0; j < table->count && table->since <= version; j++) {
			AUTO(text)
			char *column = text_format("ALTER TABLE %s DROP COLUMN %s", table->name,
						   table->columns[j].name);
			if (table->columns[j].since > version && !sample_execute(path, column))
				return false;
		}
	}
	return sample_execute(path, sql);
}

/* A whole file with `experiments` in it, closed in order. */
static inline int sample_write(const char *path, unsigned experiments, struct error *error)
{
	struct profile *profile = NULL;
	struct sample sample;
	int code = sample_begin(path, false, &profile, &sample, error);
	for (unsigned i = 0; i < experiments && !code; i++)
		code = sample_experiment(profile, &sample, i, error);
	if (!code)
		code = profile_commit(profile, error);
	profile_close(profile);
	return code;
}
