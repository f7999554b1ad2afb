/* SPDX-License-Identifier: BSD-2-Clause */
/* kallsyms - functions sorted by address; one holds up to the next. */
#include "symbolize/kallsyms.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/own.h"

#include <errno.h>
#include <string.h>

struct kallsyms {
	char *text; /* names and modules lie in it */
	ARRAY(struct kallsyms_function) functions;
};

OWN_DEFINE(kallsyms, struct kallsyms *, kallsyms_free, NULL)

static int by_start(const void *one, const void *other)
{
	const struct kallsyms_function *a = one, *b = other;
	return a->start < b->start ? -1 : a->start > b->start;
}

/* "ffffffff81000000 T name\t[module]", cut up in place. */
static void add_line(struct kallsyms *kallsyms, char *line)
{
	char *end;
	uint64_t start = strtoull(line, &end, 16);

	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ' || !strchr("tTwW", end[1]))
		return;
	char *name = end + 3, *module = strchr(name, '\t');
	if (module)
		*module++ = 0;
	if (module && *module == '[') {
		module++;
		module[strcspn(module, "]")] = 0;
	}
	*array_add(&kallsyms->functions) =
		(struct kallsyms_function){.start = start, .name = name, .module = module};
}

int kallsyms_read(const char *path, struct kallsyms **result, struct error *error)
{
	AUTO(kallsyms) struct kallsyms *kallsyms = memory_new(1, sizeof(*kallsyms));

	kallsyms->text = file_read(path, NULL, error);
	if (!kallsyms->text)
		return error ? error->code : -EIO;
	char *rest = kallsyms->text;
	for (char *line; (line = strsep(&rest, "\n"));)
		add_line(kallsyms, line);
	size_t count = kallsyms->functions.count;
	if (count)
		qsort(kallsyms->functions.items, count, sizeof(struct kallsyms_function), by_start);
	if (!count || !kallsyms->functions.items[count - 1].start)
		return error_set(error, -EACCES,
				 "%s hides the addresses of the kernel's functions, so they stay "
				 "without names; set /proc/sys/kernel/kptr_restrict to 1 or 0",
				 path);
	*result = take(&kallsyms);
	return 0;
}

void kallsyms_free(struct kallsyms *kallsyms)
{
	if (!kallsyms)
		return;
	array_free(&kallsyms->functions);
	free(kallsyms->text);
	free(kallsyms);
}

const struct kallsyms_function *kallsyms_all(const struct kallsyms *kallsyms, size_t *count)
{
	*count = kallsyms->functions.count;
	return kallsyms->functions.items;
}

const struct kallsyms_function *kallsyms_at(const struct kallsyms *kallsyms, uint64_t address)
{
	size_t low = 0, high = kallsyms ? kallsyms->functions.count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (kallsyms->functions.items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &kallsyms->functions.items[low - 1] : NULL;
}
