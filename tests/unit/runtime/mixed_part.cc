/* SPDX-License-Identifier: BSD-2-Clause */
/* mixed_part - the C++ part of test mixed: templates and exceptions. */
#include "mixed.h"

#include <lever.h>

template <typename Number> static void visit(Number visits)
{
	for (Number i = 0; i < visits; i++) {
		LEVER_SPAN("span of all");
		LEVER_PROGRESS_NAMED("shared by all");
	}
}

void mixed_cplusplus(int visits)
{
	visit<int>(visits / 2);
	visit<long>(visits - visits / 2);
}

int mixed_throw(void)
{
	try {
		LEVER_SPAN("span of exception");
		throw 1;
	} catch (int thrown) {
		return thrown;
	}
}
