/* SPDX-License-Identifier: BSD-2-Clause */
/* screen - a long screen loses what matters least, until it fits. */
#include "report/causal/screen.h"

#include "base/cleanup.h"
#include "base/text.h"

#include "check.h"

static void add(struct screen *screen, enum screen_kind kind, const char *label, unsigned depth,
		const char *text)
{
	screen_line(screen, kind, label, depth);
	screen_take(screen, SCREEN_TEXT, text_copy(text));
}

/* Three places with three parts each, and what may stand below: 19 lines. */
static struct screen long_screen(void)
{
	struct screen screen = {0};

	add(&screen, SCREEN_MEASURED, "measured", 0, "20 s");
	add(&screen, SCREEN_PROGRESS, "progress", 0, "unit");
	for (int i = 0; i < 3; i++) {
		add(&screen, SCREEN_GAIN, "then", 0, "place");
		add(&screen, SCREEN_WHY, "", 0, "why");
		add(&screen, SCREEN_INSIDE, "", 1, "part");
		add(&screen, SCREEN_INSIDE, "", 2, "its part");
		add(&screen, SCREEN_INSIDE, "", 1, "another part");
	}
	add(&screen, SCREEN_UNSURE, "not sure yet", 0, "x");
	add(&screen, SCREEN_HOPELESS, "hot, no gain", 0, "y");
	return screen;
}

static void check_fit(unsigned rows, const char *kept)
{
	const struct report_options options = {.columns = 80};
	struct screen screen = long_screen();
	AUTO(text) char *text = NULL;
	size_t size;

	screen_fit(&screen, &options, rows);
	CHECK(screen.line_count <= rows);
	FILE *out = open_memstream(&text, &size);
	screen_print(out, &screen, &options);
	fclose(out);
	CHECK(strstr(text, kept));
	CHECK(strstr(text, "measured"));
	CHECK_EQUAL(screen.lines[2].kind, SCREEN_GAIN);
	CHECK(!strstr(text, "its part"));
	screen_release(&screen);
}

TEST("deep parts go first, then what is hot without gain, then all parts and reasons")
{
	check_fit(14, "hot, no gain");
	check_fit(12, "└ another part");
	check_fit(10, "not sure yet");
	check_fit(7, "not sure yet");
	check_fit(6, "why");
}

TEST("a screen that fits stays as it is")
{
	const struct report_options options = {.columns = 80};
	struct screen screen = long_screen();
	unsigned lines = screen.line_count;

	screen_fit(&screen, &options, lines);
	CHECK_EQUAL(screen.line_count, lines);
	screen_release(&screen);
}
