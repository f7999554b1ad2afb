/* SPDX-License-Identifier: BSD-2-Clause */
/* continuous - one recording after the other, and the removal of old ones between them. */
#include "record/continuous.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "driver/interruption.h"
#include "profile/archive.h"
#include "record/cpu_budget.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LEAST_PART 0.1 /* of the rotation time: a file is not shorter, the next boundary ends it */
#define LIMITED_ROTATE_NS \
	60000000000ull /* with shorter files, starts alone take more than the share */
#define RETRY_US 1000000
#define EARLY_NS 1000000000u /* what ends so long before its time has nothing more to record */

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* To the next multiple of the rotation time. */
static double seconds_left(double now, uint64_t rotate_ns)
{
	double rotate = (double)rotate_ns / 1e9;
	double left = rotate - (now - rotate * (double)(uint64_t)(now / rotate));

	return left < LEAST_PART * rotate ? left + rotate : left;
}

static int make_folder(const char *folder, struct error *error)
{
	struct stat found;

	if (mkdir(folder, 0750) && errno != EEXIST)
		return error_set(error, -errno,
				 "cannot make the folder %s: %s; choose another with --output",
				 folder,
				 errno == ENOENT ? "its parent does not exist" : strerror(errno));
	if (!stat(folder, &found) && !S_ISDIR(found.st_mode))
		return error_set(error, -ENOTDIR,
				 "%s is a file; --continuous writes into a folder: --output FOLDER",
				 folder);
	return 0;
}

/* A file that is there, as the clock may have been set back, is not written over. */
static char *path_of_new(const char *folder, int64_t start_s)
{
	char *path = archive_path(folder, start_s);

	while (!access(path, F_OK)) {
		free(path);
		path = archive_path(folder, ++start_s);
	}
	return path;
}

/* Returns whether there is more to record. The wall clock may be set meanwhile. */
static bool record_one(const struct continuous_options *continuous,
		       const struct record_options *options, struct driver_options *driver,
		       struct driver_result *result, struct error *error)
{
	double start = now_seconds();
	double seconds = seconds_left(start, continuous->rotate_ns);
	AUTO(text) char *path = path_of_new(continuous->folder, (int64_t)start);
	uint64_t end_ns = clock_now_ns() + (uint64_t)(seconds * 1e9);

	driver->output = path;
	driver->seconds = seconds;
	record_run(options, driver, result, error);
	malloc_trim(0); /* what was known of this time's processes would stay resident for ever */
	if (result->end == DRIVER_NO_ANSWER)
		unlink(path); /* nothing ran in that time */
	bool is_over = interruption_any() || clock_now_ns() + EARLY_NS < end_ns;
	return (result->end == DRIVER_ANSWERED || result->end == DRIVER_NO_ANSWER) && !is_over;
}

/* Processes with the wanted names may all be gone when a file begins, and come again. */
static bool waits_for_processes(const struct driver_options *driver,
				const struct driver_result *result, struct error *error)
{
	if (result->end != DRIVER_WRONG_USAGE || error->code != -ESRCH ||
	    !process_selection_is_open(&driver->selection))
		return false;
	usleep(RETRY_US);
	*error = (struct error){0};
	return !interruption_any();
}

void continuous_run(const struct continuous_options *continuous,
		    const struct record_options *options, const struct driver_options *driver,
		    struct driver_result *result, struct error *error)
{
	struct cpu_budget budget = cpu_budget_for((unsigned)sysconf(_SC_NPROCESSORS_ONLN));
	struct record_options limited = *options;
	struct driver_options one = *driver;
	bool has_answer = false, goes_on = true;

	if (make_folder(continuous->folder, error)) {
		result->end = DRIVER_WRONG_USAGE;
		return;
	}
	if (continuous->rotate_ns >= LIMITED_ROTATE_NS)
		limited.budget = &budget;
	while (goes_on && !(continuous->keep_bytes &&
			    archive_prune(continuous->folder, continuous->keep_bytes, error))) {
		goes_on = record_one(continuous, &limited, &one, result, error);
		has_answer = has_answer || result->end == DRIVER_ANSWERED;
		goes_on = goes_on || (has_answer && waits_for_processes(&one, result, error));
	}
	if (!error->code && has_answer)
		result->end = DRIVER_ANSWERED;
	else if (error->code && result->end != DRIVER_WRONG_USAGE)
		result->end = DRIVER_FAILED;
}
