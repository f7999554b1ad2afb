/* SPDX-License-Identifier: BSD-2-Clause */
/* names - marks and names of samples. */
#include "report/samples/names.h"

#include "base/cleanup.h"
#include "report/display.h"

#include <string.h>

static const struct {
	const char *mark, *words;
} classes[SAMPLE_CLASSES] = {
	[CLASS_USER] = {"[.]", "on CPU, user"},
	[CLASS_KERNEL] = {"[k]", "on CPU, kernel"},
	[CLASS_IO] = {"[I]", "waiting for I/O"},
	[CLASS_LOCK] = {"[L]", "waiting for a lock"},
	[CLASS_RUNNABLE] = {"[S]", "runnable, waiting for a CPU"},
	[CLASS_OTHER] = {"[B]", "waiting for other things"},
};

const char *samples_class_mark(enum sample_class class)
{
	return classes[class].mark;
}

const char *samples_class_title(enum sample_class class)
{
	return classes[class].words;
}

static const char *base_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	return slash ? slash + 1 : path;
}

char *samples_function_name(const struct recording_frame *frame)
{
	if (!frame)
		return text_copy("");
	return display_clean(frame->function ? frame->function : base_of(frame->object));
}

char *samples_wait_name(enum sample_class class, const char *subclass)
{
	AUTO(text) char *finer = display_clean(subclass);
	return subclass ? text_format("[%s: %s]", samples_class_title(class), finer) :
			  text_format("[%s]", samples_class_title(class));
}

char *samples_location_name(const struct recording_frame *frame)
{
	if (!frame || !frame->file || !frame->line)
		return text_copy("");
	AUTO(text) char *file = display_clean(base_of(frame->file));
	return text_format("%s:%u", file, frame->line);
}

char *samples_share_text(const struct samples_sum *sum)
{
	return text_format("%.1f %% ±%.1f", 100 * sum->share, 100 * sum->half_interval);
}

enum sample_class samples_main_class(const uint64_t *by_class_ns)
{
	unsigned best = 0;
	for (unsigned i = 1; i < SAMPLE_CLASSES; i++)
		if (by_class_ns[i] > by_class_ns[best])
			best = i;
	return best;
}
