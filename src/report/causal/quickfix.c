/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quickfix - "FILE:LINE: SENTENCE", as compilers write messages: Vim (:cfile), Emacs
 * (compilation-mode) and other editors jump to the line.
 */
#include "report/formats.h"

#include "base/cleanup.h"
#include "report/causal/remarks.h"
#include "report/display.h"

void report_causal_quickfix(FILE *out, const struct report *report)
{
	struct remarks remarks = remarks_of(report->causal);

	for (size_t i = 0; i < remarks.count; i++) {
		const struct remark *remark = &remarks.items[i];
		AUTO(text) char *file = display_clean(remark->file);

		fprintf(out, "%s:%u: %s\n", file, remark->line, remark->sentence);
	}
	remarks_release(&remarks);
}
