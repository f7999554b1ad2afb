/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diff_report - the table of the formats of `lever diff`, and their input.
 *
 * A new format is a file with its writers, diff_pairs_NAME (two commands), diff_profiles_NAME (two
 * causal profiles) and diff_samples_NAME (two recordings of samples), and a row here.
 */
#pragma once

#include "analyze/diff/profile_pair.h"
#include "analyze/diff/run_pairs.h"
#include "analyze/diff/samples_pair.h"
#include "report/report.h"

struct diff_report {
	const struct run_pairs_result *pairs; /* two commands, */
	const struct profile_pair *profiles;  /* or two causal profiles, */
	const struct samples_pair *samples;   /* or two recordings of samples */
	const char *commands[2];              /* as typed, by side; or the profiles' paths */
	const struct run_pairs_plan *plan;
	const char *point; /* of two commands: whose visits' times are compared; NULL: run times */
	const char *note;  /* a warning, or NULL */
	struct report_options options;
};

#define DIFF_VOID "The machine or the input differs: the comparison says nothing about the change."

typedef void diff_writer(FILE *out, const struct diff_report *report);

/* FORMAT(name, help) */
#define DIFF_FORMATS(FORMAT)                      \
	FORMAT(text, "a table, the default")      \
	FORMAT(json, "all figures, for programs") \
	FORMAT(markdown, "for a pull request")    \
	FORMAT(csv, "rows for a spreadsheet")     \
	FORMAT(html, "a page for a browser")      \
	FORMAT(github, "annotations for GitHub Actions")

#define DIFF_FORMAT_DECLARE(name, help) \
	diff_writer diff_pairs_##name, diff_profiles_##name, diff_samples_##name;
DIFF_FORMATS(DIFF_FORMAT_DECLARE)

struct diff_format {
	const char *name;
	diff_writer *write_pairs, *write_profiles, *write_samples;
};

extern const struct diff_format diff_formats[];
extern const char *const diff_format_names[]; /* in the same order, NULL-ended */
extern const char diff_format_help[];

/* "B takes 2 % longer than A (97.5 % interval: 1 % to 3 %)": the first line of all formats. */
char *diff_pairs_verdict(const struct diff_report *report);
/* "slower by more than 3 % for sure", ...; NULL without a gate. */
char *diff_pairs_gate(const struct diff_report *report);
/* "faster", "slower", "no change", "unsure" */
const char *diff_pairs_verdict_name(const struct run_pairs_result *result);
/* "+2.10 %", or "~" where there is no sure change. */
char *diff_pairs_change(const struct run_pairs_result *result);
/* "1.1761 (1.1686 to 1.1833), p = 0.0001, n = 28" */
char *diff_pairs_ratio(const struct run_pairs_result *result);
/* Half the distance of the quartiles in percent of the median, as benchstat's: "±0.3 %" */
char *diff_pairs_spread(const struct run_side_summary *side);

/* "f costs 31 % less a visit (27 to 35); predicted for that ..., measured ...: came true" */
char *diff_profiles_verdict(const struct profile_pair *pair);
const char *diff_profiles_verdict_name(const struct profile_pair *pair);
char *diff_profiles_gate(const struct profile_pair *pair, double gate);
/* "+17.8 % (15.1 to 20.4)" */
char *diff_gain_text(const struct gain_estimate *gain);
/* "31 % less a visit (27 to 35)" */
char *diff_change_text(const struct changed_function *function);
/* "on CPU 312 ms a run for 935 ms before, 67 % less (65 to 69); most in f: 71 % less (68 to 74)" */
char *diff_samples_verdict(const struct samples_pair *pair);
char *diff_samples_gate(const struct samples_pair *pair, double gate);
/* "71 % less (68 to 74)", "new", "gone", or "~" */
char *diff_samples_change(const struct samples_change *change);
/* A command as far as it fits behind a label and a file's name. */
char *diff_command_fit(const char *command, const char *path, const struct report_options *options);
/* A name in a cell of Markdown: backquotes and bars would end it. */
char *diff_markdown_name(const char *name);
/* A line for GitHub Actions; `file` may be NULL, and `line` 0. */
void diff_annotation_write(FILE *out, const char *level, const char *file, unsigned line,
			   const char *sentence);
