/* SPDX-License-Identifier: BSD-2-Clause */
/* folded - call chains for flame graph programs. */
#include "report/formats.h"

#include "base/cleanup.h"
#include "report/samples/names.h"

#include <string.h>

/* Names may hold separators of the format. */
static void print_name(FILE *out, const char *name)
{
	for (; *name; name++)
		fputc(*name == ';' ? ':' : *name == '\n' ? ' ' : *name, out);
}

static void print_chain(FILE *out, const struct samples *samples,
			const struct recording_stack_sample *stack_sample)
{
	size_t count;
	const struct recording_frame **chain =
		samples_chain(samples->recording, stack_sample->stack_id, &count);

	for (size_t i = count; i-- > 0;) {
		AUTO(text) char *function = samples_function_name(chain[i]);
		fputc(';', out);
		print_name(out, function);
		fputs(chain[i]->kind == FRAME_KERNEL ? "_[k]" : "", out);
	}
	free(chain);
}

void report_samples_folded(FILE *out, const struct report *report)
{
	const struct samples *samples = report->samples;
	for (size_t i = 0; i < samples->count; i++) {
		const struct samples_entry *entry = &samples->entries[i];
		uint64_t microseconds = (entry->stack_sample->weight_ns + 500) / 1000;
		if (!microseconds)
			continue;
		print_name(out, entry->thread->command ? entry->thread->command : "?");
		print_chain(out, samples, entry->stack_sample);
		if (entry->stack_sample->class > CLASS_KERNEL) {
			fprintf(out, ";%s", samples_class_mark(entry->stack_sample->class));
			if (entry->stack_sample->subclass) {
				fputc('/', out);
				print_name(out, entry->stack_sample->subclass);
			}
		}
		fprintf(out, " %llu\n", (unsigned long long)microseconds);
	}
}
