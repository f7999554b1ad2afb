/* SPDX-License-Identifier: BSD-2-Clause */
/* profile - a profile file of somebody else: read, analyzed, reported as text and JSON. */
#include "fuzz.h"

#include "profile/profile.h"
#include "profile/recording.h"
#include "report/formats.h"

#include <stdio.h>

static void write_report(const struct recording *recording, enum run_kind kind, const char *name,
			 FILE *out)
{
	const struct samples_filter everything = {0};
	struct report report = {.recording = recording, .options = {.columns = 80, .most = 20}};
	int format = report_format_find(name);

	if (format < 0 || !report_formats[format].write[kind])
		return;
	report_analyze(&report, kind, &everything);
	report_formats[format].write[kind](out, &report);
	report_release(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct recording *recording = NULL;
	FILE *out = fopen("/dev/null", "w");

	if (out && !profile_read(fuzz_file(bytes, size), &recording, NULL)) {
		enum run_kind kind =
			recording->runs.count ? recording->runs.items[0].kind : RUN_CAUSAL;
		recording_keep(recording, kind);
		write_report(recording, kind, "text", out);
		write_report(recording, kind, "json", out);
		recording_free(recording);
	}
	if (out)
		fclose(out);
	return 0;
}
