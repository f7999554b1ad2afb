/* SPDX-License-Identifier: BSD-2-Clause */
/* uses - every macro of lever.h, where a user may put it; also compiled as C++. */
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

/* What is on a timeline only. */
static void mark(int number, const char *text)
{
	LEVER_SPAN_VALUE("with a number", number);
	LEVER_SPAN_TEXT("with a text", text);
	if (number)
		LEVER_BEGIN_VALUE("number", 1ull << 40);
	else
		LEVER_BEGIN_TEXT("text", "text");
	LEVER_INSTANT("here");
	LEVER_INSTANT_VALUE("here", number);
	LEVER_INSTANT_TEXT("here", text);
	LEVER_COUNTER("level", -number);
	LEVER_FLOW_OUT("arrow", 1);
	LEVER_FLOW_IN("arrow", 1);
	LEVER_THREAD_NAME(text);
	LEVER_PROCESS_NAME("process");
}

int uses(int number)
{
	const char *name = "variable";
	LEVER_PROGRESS_NAMED(name);
	mark(number, name);
	return plus_one(number);
}

int main(void)
{
	return uses(-1);
}
