/* SPDX-License-Identifier: BSD-2-Clause */
/* mixed_part - the C parts of test mixed: compiled into the program and three libraries. */
#include "mixed.h"

#include <lever.h>

void MIXED_PART(int visits)
{
	for (int i = 0; i < visits; i++) {
		LEVER_SPAN("span of all");
		LEVER_PROGRESS_NAMED("shared by all");
	}
}
