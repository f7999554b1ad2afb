/* SPDX-License-Identifier: BSD-2-Clause */
/* hostile - annotates itself with names that hold markup and control characters. */
#include <lever.h>

#include <sys/prctl.h>

#pragma GCC diagnostic ignored "-Woverlength-strings"

#define TEN(text) text text text text text text text text text text
#define LONG TEN(TEN(TEN("std::pair<")))

int main(void)
{
	prctl(PR_SET_NAME, "\"</b>\xff'\\\n");
	for (int i = 0; i < 3; i++) {
		LEVER_BEGIN("</script><script>document.title = 'taken'</script>");
		LEVER_BEGIN_TEXT(LONG, "\"><img src=x onerror=\"document.title = 'taken'\">");
		LEVER_INSTANT_TEXT("=1+2,\"a\"", "\xff\xfe\033[31m\xe2\x80\xae");
		LEVER_COUNTER("a\tb\nc;d \xc3\x28", 7 * i);
		LEVER_END(LONG);
		LEVER_END("</script><script>document.title = 'taken'</script>");
	}
	return 0;
}
