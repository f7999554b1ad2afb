/* SPDX-License-Identifier: BSD-2-Clause */
/* write_profile - writes one of the recordings into a file. Usage: test_recording NAME FILE */
#include "recordings_causal.h"
#include "recordings_samples.h"
#include "recordings_timeline.h"

#include <stdio.h>
#include <string.h>

static bool is_among(const char *name, const char *const *names, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	struct error error = {0};
	bool is_causal = argc == 3 && is_among(argv[1], recordings, recordings_count);
	bool is_samples =
		argc == 3 && is_among(argv[1], sample_recordings, sample_recordings_count);
	bool is_timeline = argc == 3 && !strcmp(argv[1], TIMELINE_RECORDING);
	if (!is_causal && !is_samples && !is_timeline) {
		fputs("usage: test_recording NAME FILE\n", stderr);
		return 2;
	}
	if (is_timeline ? timeline_recording_write(argv[2], &error) :
	    is_causal   ? recordings_write(argv[1], argv[2], &error) :
			  sample_recordings_write(argv[1], argv[2], &error)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	return 0;
}
