/* SPDX-License-Identifier: BSD-2-Clause */
/* machine_name - reads /proc/cpuinfo, and counts cores that are online. */
#include "driver/machine_name.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/memory.h"

#include <string.h>

char *machine_name(void)
{
	AUTO(text) char *processors = file_read("/proc/cpuinfo", NULL, NULL);
	char *model = processors ? strstr(processors, "model name") : NULL;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	model = model ? strchr(model, ':') : NULL;
	if (!model)
		return text_format("%ld core%s", cores, cores == 1 ? "" : "s");
	model += strspn(model, ": \t");
	model[strcspn(model, "\n")] = 0;
	return text_format("%s, %ld core%s", model, cores, cores == 1 ? "" : "s");
}
