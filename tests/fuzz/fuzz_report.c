/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_report - a profile in all formats but the HTML page. */
#include "fuzz.h"

#include "profile/profile.h"
#include "profile/recording.h"
#include "report/formats.h"

#include <stdio.h>
#include <string.h>

static void write_reports(const struct recording *recording, enum run_kind kind, FILE *out)
{
	const struct samples_filter everything = {0};
	struct report report = {.recording = recording, .options = {.columns = 80, .most = 20}};

	report_analyze(&report, kind, &everything);
	for (size_t i = 0; report_format_names[i]; i++)
		if (report_formats[i].write[kind] && strcmp(report_format_names[i], "html") != 0)
			report_formats[i].write[kind](out, &report);
	report_release(&report);
}

void fuzz_report(const char *path)
{
	struct recording *recording = NULL;
	FILE *out = fopen("/dev/null", "w");

	if (out && !profile_read(path, &recording, NULL)) {
		enum run_kind kind =
			recording->runs.count ? recording->runs.items[0].kind : RUN_CAUSAL;
		recording_keep(recording, kind);
		write_reports(recording, kind, out);
		recording_free(recording);
	}
	if (out)
		fclose(out);
}
