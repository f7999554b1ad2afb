/* SPDX-License-Identifier: BSD-2-Clause */
/* cores - reads the kernel's lists of cores. */
#include "base/cores.h"

#include "base/cleanup.h"
#include "base/file.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

struct range {
	unsigned first, last;
};

/* Takes one range off the list, with the comma behind it. */
static bool range_take(const char **list, struct range *range)
{
	char *end;

	if (!isdigit((unsigned char)**list))
		return false;
	unsigned long first = strtoul(*list, &end, 10), last = first;
	if (*end == '-' && isdigit((unsigned char)end[1]))
		last = strtoul(end + 1, &end, 10);
	if (last < first || last >= UINT_MAX || (*end && *end != ',' && *end != '\n'))
		return false;
	*list = *end ? end + 1 : end;
	*range = (struct range){(unsigned)first, (unsigned)last};
	return true;
}

unsigned cores_end(const char *list)
{
	struct range range;
	unsigned end = 0;

	while (*list) {
		if (!range_take(&list, &range))
			return 0;
		end = range.last + 1 > end ? range.last + 1 : end;
	}
	return end;
}

unsigned cores_in(const char *list)
{
	struct range range;
	unsigned count = 0;

	while (*list && range_take(&list, &range))
		count += range.last - range.first + 1;
	return count;
}

static unsigned end_of_file(const char *path)
{
	AUTO(text) char *list = file_read(path, NULL, NULL);
	unsigned end = list ? cores_end(list) : 0;

	return end ? end : 1;
}

unsigned cores_possible(void)
{
	return end_of_file("/sys/devices/system/cpu/possible");
}

unsigned cores_present(void)
{
	return end_of_file("/sys/devices/system/cpu/present");
}
