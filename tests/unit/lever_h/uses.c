/* SPDX-License-Identifier: BSD-2-Clause */
/* uses - every macro of lever.h, where a user may put it; also compiled as C++. No other include. */
#include <lever.h>

int uses(int number);

static int plus_one(int number)
{
	LEVER_SPAN("outer");
	if (number > 0) {
		LEVER_SPAN("inner");
		LEVER_PROGRESS;
	} else
		LEVER_PROGRESS;
	switch (number) {
	case 0:
		LEVER_BEGIN("switch");
		break;
	default:
		LEVER_END("switch");
	}
	for (int i = 0; i < number; i++)
		LEVER_PROGRESS_NAMED("loop");
	return number + 1;
}

int uses(int number)
{
	const char *name = "variable";
	LEVER_PROGRESS_NAMED(name);
	return plus_one(number);
}

int main(void)
{
	return uses(-1);
}
