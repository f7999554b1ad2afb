/* SPDX-License-Identifier: BSD-2-Clause */
/* window - a queue of samples without their unused frames. */
#include "record/window.h"

#include "base/memory.h"
#include "base/own.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define BYTES_MOST (64u << 20) /* older samples leave earlier then */

struct kept {
	struct record_sample *sample; /* only its user_count frames are there */
	size_t bytes;
};

struct window {
	uint64_t length_ns;
	ARRAY(struct kept) samples; /* as they came */
	size_t first, bytes;
};

OWN_DEFINE(book, struct book *, book_free, NULL)

struct window *window_new(double seconds)
{
	struct window *window = memory_new(1, sizeof(*window));
	window->length_ns = (uint64_t)(seconds * 1e9);
	return window;
}

void window_free(struct window *window)
{
	if (!window)
		return;
	for (size_t i = window->first; i < window->samples.count; i++)
		free(window->samples.items[i].sample);
	array_free(&window->samples);
	free(window);
}

static void drop_first(struct window *window)
{
	struct kept *kept = &window->samples.items[window->first++];
	window->bytes -= kept->bytes;
	free(kept->sample);
	if (window->first < window->samples.count / 2 + 1)
		return;
	window->samples.count -= window->first;
	memmove(window->samples.items, window->samples.items + window->first,
		window->samples.count * sizeof(*window->samples.items));
	window->first = 0;
}

void window_add(struct window *window, const struct record_sample *sample)
{
	if (sample->user_count > RECORD_USER_FRAMES_MOST)
		return;
	size_t bytes = offsetof(struct record_sample, user) +
		       sample->user_count * sizeof(struct record_frame);
	struct record_sample *copy = memory_new(1, bytes);
	memcpy(copy, sample, bytes);
	*array_add(&window->samples) = (struct kept){copy, bytes};
	window->bytes += bytes;
	while (window->bytes > BYTES_MOST)
		drop_first(window);
}

/*
 * A book of the samples since `begin_ns`. Waits are looked at, and so cut, before each look at the window:
 * none reaches far back.
 */
static struct book *add_up(struct window *window, const struct window_names *names,
			   uint64_t period_ns, uint64_t begin_ns)
{
	struct book *book =
		book_new(names->symbols, names->files, names->classes, names->kernel, period_ns);

	while (window->first < window->samples.count &&
	       window->samples.items[window->first].sample->time_ns < begin_ns)
		drop_first(window);
	for (size_t i = window->first; i < window->samples.count; i++)
		book_add(book, window->samples.items[i].sample);
	return book;
}

static int write_book(struct book *book, const char *path, struct recording_run *run,
		      struct error *error)
{
	const struct book_sums *sums = book_sums(book);
	struct profile *profile;

	run->samples = sums->samples;
	run->sampled_ns = sums->weight_ns;
	int code = profile_create(path, true, &profile, error);
	if (code)
		return code;
	code = profile_add_run(profile, run, error);
	code = code ? code : book_write(book, profile, run->id, error);
	profile_close(profile);
	return code;
}

int window_read(struct window *window, const struct window_names *names,
		const struct recording_run *run, uint64_t now_ns, struct recording **recording,
		struct error *error)
{
	const char *place = getenv("TMPDIR");
	AUTO(text) char *folder = text_format("%s/lever-live-XXXXXX", place ? place : "/tmp");
	uint64_t begin = now_ns > window->length_ns ? now_ns - window->length_ns : 0;
	AUTO(book) struct book *book = add_up(window, names, run->period_ns, begin);
	struct recording_run row = *run;

	row.finished = true; /* nothing of it is to come */
	if (!mkdtemp(folder))
		return error_set(error, errno,
				 "cannot make a folder for the live view in %s: %s; TMPDIR names "
				 "another",
				 place ? place : "/tmp", strerror(errno));
	AUTO(text) char *path = text_format("%s/window.lever", folder);
	int code = write_book(book, path, &row, error);
	code = code ? code : profile_read(path, recording, error);
	unlink(path);
	rmdir(folder);
	return code;
}
