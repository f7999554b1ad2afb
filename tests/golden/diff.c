/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diff - what `lever diff` says, compared with the files beside this one.
 *
 * AFTER is the recording `pipeline` with one function's samples cut to 70 %, and visits that take
 * less time.
 */
#include "check.h"

#include "base/cleanup.h"
#include "expected.h"
#include "recordings_causal.h"
#include "recordings_samples.h"
#include "report/diff/diff_report.h"
#include "schema.h"

#include <unistd.h>

#define REALISED 0.7
#define VISIT 0.82

typedef int write_recording(const char *name, const char *path, struct error *error);

static struct recording *read_written(write_recording *write, const char *name)
{
	char path[] = "/tmp/lever-golden-XXXXXX";
	struct error error = {0};
	struct recording *recording = NULL;
	int fd = mkstemp(path);

	if (fd < 0)
		return NULL;
	close(fd);
	if (write(name, path, &error) || profile_read(path, &recording, &error))
		printf("# %s\n", error.text);
	unlink(path);
	return recording;
}

static struct recording *read_pipeline(void)
{
	return read_written(recordings_write, "pipeline");
}

static void change(struct recording *recording)
{
	const char *function = recording->targets.items[0].function;

	for (size_t i = 0; i < recording->samples.count; i++) {
		struct recording_sample *sample = &recording->samples.items[i];
		const struct recording_target *target =
			recording_target(recording, sample->target_id);
		if (target && check_same_text(target->function, function))
			sample->sampled_ns = (uint64_t)((double)sample->sampled_ns * REALISED);
	}
	for (size_t i = 0; i < recording->experiments.count; i++) {
		struct recording_experiment *experiment = &recording->experiments.items[i];
		for (size_t j = 0; j < experiment->visits.count; j++) {
			struct recording_visit *visit = &experiment->visits.items[j];
			visit->duration_ns = (uint64_t)((double)visit->duration_ns * VISIT);
			visit->delay_ns = (uint64_t)((double)visit->delay_ns * VISIT);
		}
	}
}

static char *written(diff_writer *write, const struct diff_report *report)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	write(out, report);
	fclose(out);
	return text;
}

/* NULL if the profiles cannot be compared. */
static char *profiles_as(diff_writer *write, bool is_changed)
{
	struct recording *before = read_pipeline(), *after = read_pipeline();
	struct run_pairs_plan plan = {.gate = 0.03};
	struct profile_pair *pair = NULL;
	struct error error = {0};
	char *text = NULL;

	if (is_changed)
		change(after);
	if (!profile_pair_new(before, after, plan.gate, NULL, &pair, &error)) {
		struct diff_report report = {.profiles = pair,
					     .commands = {"before.lever", "after.lever"},
					     .plan = &plan,
					     .options = {.columns = 100}};
		text = written(write, &report);
	}
	profile_pair_free(pair);
	recording_free(before);
	recording_free(after);
	return text;
}

/* NULL if the recordings cannot be compared. */
static char *samples_as(diff_writer *write, const char *after_name)
{
	struct recording *before = read_written(sample_recordings_write, "server");
	struct recording *after = read_written(sample_recordings_write, after_name);
	struct run_pairs_plan plan = {.gate = 0.03};
	struct samples_pair *pair = NULL;
	struct error error = {0};
	char *text = NULL;

	if (!samples_pair_new(before, after, plan.gate, &pair, &error)) {
		struct diff_report report = {.samples = pair,
					     .commands = {"before.lever", "after.lever"},
					     .plan = &plan,
					     .options = {.columns = 100}};
		text = written(write, &report);
	}
	samples_pair_free(pair);
	recording_free(before);
	recording_free(after);
	return text;
}

static char *pairs_of(diff_writer *write, const char *point)
{
	static const struct run_pairs_plan plan = {.gate = 0.03};
	static const struct run_pairs_result result = {
		.sides = {{0.1152, 0.1148, 0.116, 0.114, 0.131, 24},
			  {0.1201, 0.1195, 0.1212, 0.1188, 0.14, 24}},
		.ratio = 1.0426,
		.low = 1.0352,
		.high = 1.0511,
		.p = 0.0004,
		.pairs = 24,
		.warm_up = 2,
		.looks = 3,
		.is_early = true,
		.position = 1.0011,
		.verdict = RUN_SLOWER,
		.gate = GATE_FAILED,
	};
	struct diff_report report = {.pairs = &result,
				     .point = point,
				     .commands = {"./old `x|y`", "./new \033[31m"},
				     .plan = &plan,
				     .options = {.columns = 100}};

	return written(write, &report);
}

static char *pairs_as(diff_writer *write)
{
	return pairs_of(write, NULL);
}

static bool holds_schema(const char *schema, const char *text)
{
	AUTO(text) char *path = text_format("%s/docs/%s", expected_source_root(), schema);
	AUTO(text) char *complaint = schema_complaint(path, text);

	if (complaint)
		printf("# %s\n", complaint);
	return !complaint;
}

TEST("two commands as text, Markdown, CSV and annotation")
{
	AUTO(text) char *text = pairs_as(diff_pairs_text);
	AUTO(text) char *markdown = pairs_as(diff_pairs_markdown);
	AUTO(text) char *csv = pairs_as(diff_pairs_csv);
	AUTO(text) char *github = pairs_as(diff_pairs_github);

	CHECK(expected_equals("pairs", "text", text));
	CHECK(expected_equals("pairs", "md", markdown));
	CHECK(expected_equals("pairs", "csv", csv));
	CHECK(expected_equals("pairs", "github", github));
	AUTO(text) char *visits = pairs_of(diff_pairs_text, "request");
	CHECK(expected_equals("pairs-visits", "text", visits));
}

TEST("two profiles with a change as text, Markdown and annotations")
{
	AUTO(text) char *text = profiles_as(diff_profiles_text, true);
	AUTO(text) char *markdown = profiles_as(diff_profiles_markdown, true);
	AUTO(text) char *github = profiles_as(diff_profiles_github, true);

	CHECK(text && expected_equals("diff", "text", text));
	CHECK(markdown && expected_equals("diff", "md", markdown));
	CHECK(github && expected_equals("diff", "github", github));
}

TEST("the same profile twice has no change")
{
	AUTO(text) char *text = profiles_as(diff_profiles_text, false);

	CHECK(text && expected_equals("diff-unchanged", "text", text));
}

TEST("two recordings of samples as text, Markdown, CSV and annotations")
{
	AUTO(text) char *text = samples_as(diff_samples_text, "server-after");
	AUTO(text) char *markdown = samples_as(diff_samples_markdown, "server-after");
	AUTO(text) char *csv = samples_as(diff_samples_csv, "server-after");
	AUTO(text) char *github = samples_as(diff_samples_github, "server-after");

	CHECK(text && expected_equals("diff-samples", "text", text));
	CHECK(markdown && expected_equals("diff-samples", "md", markdown));
	CHECK(csv && expected_equals("diff-samples", "csv", csv));
	CHECK(github && expected_equals("diff-samples", "github", github));
}

TEST("samples of different programs are refused")
{
	CHECK(!samples_as(diff_samples_text, "names"));
}

TEST("JSON is as docs/diff.schema.json and docs/pairs.schema.json say")
{
	AUTO(text) char *changed = profiles_as(diff_profiles_json, true);
	AUTO(text) char *unchanged = profiles_as(diff_profiles_json, false);
	AUTO(text) char *pairs = pairs_as(diff_pairs_json);

	CHECK(changed && holds_schema("diff.schema.json", changed));
	CHECK(unchanged && holds_schema("diff.schema.json", unchanged));
	AUTO(text) char *samples = samples_as(diff_samples_json, "server-after");
	AUTO(text) char *same = samples_as(diff_samples_json, "server");
	CHECK(samples && holds_schema("samples-diff.schema.json", samples));
	CHECK(same && holds_schema("samples-diff.schema.json", same));
	CHECK(same && !strstr(same, "\"changed\": true"));
	CHECK(holds_schema("pairs.schema.json", pairs));
	AUTO(text) char *visits = pairs_of(diff_pairs_json, "request");
	CHECK(holds_schema("pairs.schema.json", visits));
	CHECK(!holds_schema("pairs.schema.json", changed));
}

TEST("names cannot steer a terminal, and pages hold no markup of theirs")
{
	AUTO(text) char *text = pairs_as(diff_pairs_text);
	AUTO(text) char *page = pairs_as(diff_pairs_html);

	CHECK(!strchr(text, '\033'));
	CHECK(strstr(page, "./new ") && !strchr(page, '\033'));
}
