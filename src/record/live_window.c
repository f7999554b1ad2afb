/* SPDX-License-Identifier: BSD-2-Clause */
/* live_window - a queue of samples without their unused frames. */
#include "record/live_window.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define BYTES_MAX (64u << 20) /* of samples; beyond, the oldest are dropped */

struct kept_sample {
	struct record_sample *sample; /* only its user_count frames are there */
	size_t bytes;
};

struct live_window {
	uint64_t length_ns;
	ARRAY(struct kept_sample) samples; /* in order of arrival */
	size_t first, bytes;
	bool is_cut; /* samples of the window were dropped for their number */
};

CLEANUP_DEFINE(sample_aggregator, struct sample_aggregator *, sample_aggregator_free, NULL)

struct live_window *live_window_new(double seconds)
{
	struct live_window *window = memory_new(1, sizeof(*window));
	window->length_ns = (uint64_t)(seconds * 1e9);
	return window;
}

void live_window_free(struct live_window *window)
{
	if (!window)
		return;
	for (size_t i = window->first; i < window->samples.count; i++)
		free(window->samples.items[i].sample);
	array_free(&window->samples);
	free(window);
}

static void drop_first(struct live_window *window)
{
	struct kept_sample *kept = &window->samples.items[window->first++];
	window->bytes -= kept->bytes;
	free(kept->sample);
	if (window->first < window->samples.count / 2 + 1)
		return;
	window->samples.count -= window->first;
	memmove(window->samples.items, window->samples.items + window->first,
		window->samples.count * sizeof(*window->samples.items));
	window->first = 0;
}

void live_window_add(struct live_window *window, const struct record_sample *sample)
{
	if (sample->user_count > RECORD_USER_FRAMES_MOST)
		return;
	size_t bytes = offsetof(struct record_sample, user) +
		       sample->user_count * sizeof(struct record_frame);
	struct record_sample *copy = memory_new(1, bytes);
	memcpy(copy, sample, bytes);
	*array_add(&window->samples) = (struct kept_sample){copy, bytes};
	window->bytes += bytes;
	while (window->bytes > BYTES_MAX) {
		drop_first(window);
		window->is_cut = true;
	}
}

/*
 * Adds up the samples since `begin_ns`. Waits that go on are sampled before each call, so no sample
 * reaches far behind that time.
 */
static struct sample_aggregator *add_up(struct live_window *window,
					const struct live_window_symbols *names, uint64_t period_ns,
					uint64_t begin_ns)
{
	struct sample_aggregator *aggregator =
		sample_aggregator_new(names->symbols, names->mapped_files, names->classifier,
				      names->resources, names->kernel, period_ns);

	while (window->first < window->samples.count &&
	       window->samples.items[window->first].sample->time_ns < begin_ns)
		drop_first(window);
	for (size_t i = window->first; i < window->samples.count; i++)
		sample_aggregator_add(aggregator, window->samples.items[i].sample);
	return aggregator;
}

static int write_aggregator(struct sample_aggregator *aggregator, const char *path,
			    struct recording_run *run, struct error *error)
{
	const struct sample_aggregator_totals *totals = sample_aggregator_totals(aggregator);
	struct profile *profile;

	run->samples = totals->samples;
	run->sampled_ns = totals->weight_ns;
	int code = profile_create(path, true, &profile, error);
	if (code)
		return code;
	code = profile_add_run(profile, run, error);
	code = code ? code : sample_aggregator_write(aggregator, profile, run->id, error);
	profile_close(profile);
	return code;
}

int live_window_read(struct live_window *window, const struct live_window_symbols *names,
		     const struct recording_run *run, uint64_t now_ns, struct recording **recording,
		     struct error *error)
{
	const char *place = getenv("TMPDIR");
	AUTO(text) char *folder = text_format("%s/lever-live-XXXXXX", place ? place : "/tmp");
	uint64_t begin = now_ns > window->length_ns ? now_ns - window->length_ns : 0;
	AUTO(sample_aggregator)
	struct sample_aggregator *aggregator = add_up(window, names, run->period_ns, begin);
	struct recording_run row = *run;

	row.finished = true; /* the report is not of an unfinished run */
	if (window->is_cut)
		row.note =
			(char *)"the live view holds less time: its samples exceed 64 MiB; use a "
				"longer --period";
	window->is_cut = false;
	if (!mkdtemp(folder))
		return error_set(error, errno,
				 "cannot make a folder for the live view in %s: %s; choose "
				 "another with TMPDIR",
				 place ? place : "/tmp", strerror(errno));
	AUTO(text) char *path = text_format("%s/window.lever", folder);
	int code = write_aggregator(aggregator, path, &row, error);
	code = code ? code : profile_read(path, recording, error);
	unlink(path);
	rmdir(folder);
	return code;
}
