/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sarif - the sure answers as SARIF 2.1.0 (OASIS), which code hosts and editors show at lines.
 *
 * A result of level "note" for each gain, "warning" for contention; `rank` is the program speedup
 * in percent, at least 0. Paths below the folder that Lever runs in are relative to %SRCROOT%.
 */
#include "report/formats.h"

#include "base/cleanup.h"
#include "report/causal/remarks.h"
#include "report/causal/verdict_json.h"
#include "report/json.h"
#include "report/source_path.h"

#include <math.h>

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static json_t *rule(const char *id, const char *text)
{
	return json_pack("{ss s{ss}}", "id", id, "shortDescription", "text", text);
}

static json_t *location_of(const struct remark *remark)
{
	AUTO(text) char *uri = source_path_uri(remark->file);
	json_t *artifact = json_pack("{ss}", "uri", uri);

	if (remark->file[0] != '/')
		json_object_set_new(artifact, "uriBaseId", json_string("%SRCROOT%"));
	return json_pack("{s{so s{sI}}}", "physicalLocation", "artifactLocation", artifact,
			 "region", "startLine", (json_int_t)remark->line);
}

static json_t *result_of(const struct remark *remark)
{
	const struct target_verdict *verdict = remark->verdict;
	bool is_gain = verdict->outcome == OUTCOME_GAIN;

	return json_pack("{ss ss sf s{so} s[o] so}", "ruleId",
			 verdict_outcome_name(verdict->outcome), "level",
			 is_gain ? "note" : "warning", "rank", fmax(verdict->at.gain, 0) * 100,
			 "message", "text", json_text(remark->sentence), "locations",
			 location_of(remark), "properties", verdict_json(verdict));
}

static const char *version_of(const struct recording *recording)
{
	return recording->runs.count && recording->runs.items[0].version ?
		       recording->runs.items[0].version :
		       "unknown";
}

void report_causal_sarif(FILE *out, const struct report *report)
{
	struct remarks remarks = remarks_of(report->causal);
	json_t *results = json_array();

	for (size_t i = 0; i < remarks.count; i++)
		json_array_append_new(results, result_of(&remarks.items[i]));
	json_t *driver = json_pack("{ss ss s[oo]}", "name", "lever", "version",
				   version_of(report->recording), "rules",
				   rule("gain", "The program gets faster if this code does."),
				   rule("contention", "The program gets slower if this code gets "
						      "faster."));
	json_write(out,
		   json_pack("{ss ss s[{s{so} so}]}", "$schema", SCHEMA, "version", "2.1.0", "runs",
			     "tool", "driver", driver, "results", results),
		   JSON_INDENT(2));
	remarks_release(&remarks);
}
