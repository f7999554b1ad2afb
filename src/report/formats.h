/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * formats - the table of the formats of `lever report`: parsing, --help, completion and the test of
 * the manual page follow from it.
 *
 * A new format is a file with its writer, report_KIND_NAME, and a row here.
 */
#pragma once

#include "report/report.h"

/*
 * FORMAT(name, suffix of its files, may it go to a terminal, help, writers);
 * WRITER(kind of profile, name) is the function report_KIND_NAME.
 */
#define REPORT_FORMATS(FORMAT, WRITER)                                                          \
	FORMAT(text, ".txt", true, "tables, the default",                                       \
	       WRITER(causal, text) WRITER(samples, text) WRITER(timeline, text)                \
		       WRITER(scale, text))                                                     \
	FORMAT(json, ".json", true, "all figures, for programs",                                \
	       WRITER(causal, json) WRITER(samples, json) WRITER(timeline, json)                \
		       WRITER(scale, json))                                                     \
	FORMAT(html, ".html", false, "a page for a browser",                                    \
	       WRITER(causal, html) WRITER(samples, html) WRITER(timeline, html)                \
		       WRITER(scale, html))                                                     \
	FORMAT(csv, ".csv", true, "rows for a spreadsheet (not of samples)",                    \
	       WRITER(causal, csv) WRITER(timeline, csv) WRITER(scale, csv))                    \
	FORMAT(coz, ".coz", true, "for coz's viewer (causal)", WRITER(causal, coz))             \
	FORMAT(quickfix, ".txt", true, "FILE:LINE: GAIN, for editors (causal)",                 \
	       WRITER(causal, quickfix))                                                        \
	FORMAT(sarif, ".sarif", true, "for code hosts and editors (causal)",                    \
	       WRITER(causal, sarif))                                                           \
	FORMAT(lsp, ".json", true, "diagnostics of the Language Server Protocol (causal)",      \
	       WRITER(causal, lsp))                                                             \
	FORMAT(prometheus, ".prom", true, "gauges for Prometheus (causal, samples)",            \
	       WRITER(causal, prometheus) WRITER(samples, prometheus))                          \
	FORMAT(folded, ".folded", true, "for flamegraph.pl (samples)", WRITER(samples, folded)) \
	FORMAT(pprof, ".pb.gz", false, "for go tool pprof (samples)", WRITER(samples, pprof))   \
	FORMAT(speedscope, ".speedscope.json", true, "for speedscope.app (samples)",            \
	       WRITER(samples, speedscope))                                                     \
	FORMAT(firefox, ".json", true, "for profiler.firefox.com (samples)",                    \
	       WRITER(samples, firefox))                                                        \
	FORMAT(callgrind, ".callgrind", true, "for kcachegrind (samples)",                      \
	       WRITER(samples, callgrind))                                                      \
	FORMAT(otlp, ".otlp", false, "OpenTelemetry's profiles, v1development (samples)",       \
	       WRITER(samples, otlp))                                                           \
	FORMAT(perfetto, ".pftrace", false, "for ui.perfetto.dev (timeline)",                   \
	       WRITER(timeline, perfetto))                                                      \
	FORMAT(chrome, ".json", true, "trace events, for chrome://tracing (timeline)",          \
	       WRITER(timeline, chrome))

#define REPORT_FORMAT_WRITERS(name, suffix, is_for_terminal, help, writers) writers
#define REPORT_FORMAT_DECLARE(kind, name) report_writer report_##kind##_##name;
REPORT_FORMATS(REPORT_FORMAT_WRITERS, REPORT_FORMAT_DECLARE)

struct report_format {
	const char *name, *suffix;
	bool is_for_terminal;                /* else it must go to a file or a pipe */
	report_writer *write[RUN_SCALE + 1]; /* by enum run_kind; NULL: not for that kind */
};

extern const struct report_format report_formats[];
extern const char *const report_format_names[]; /* in the same order, NULL-ended */
extern const char report_format_help[];
/* The number of a format that the table has. */
int report_format_find(const char *name);
