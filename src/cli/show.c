/* SPDX-License-Identifier: BSD-2-Clause */
/* show - looks at the terminal, and at whether there is anything to show. */
#include "cli/show.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct report_options show_options(FILE *out, unsigned most)
{
	struct report_options options = {.columns = 100, .most = most};
	const char *no_colour = getenv("NO_COLOR");
	struct winsize size;
	bool is_terminal = isatty(fileno(out));

	if (is_terminal && !ioctl(fileno(out), TIOCGWINSZ, &size) && size.ws_col >= 40)
		options.columns = size.ws_col;
	options.colour = is_terminal && !(no_colour && *no_colour);
	return options;
}

bool show_has_answer(const struct causal *causal)
{
	for (size_t i = 0; i < causal->count; i++)
		for (size_t j = 0; j < causal->targets[i].count; j++)
			if (causal->targets[i].effects[j].slope.windows > 0)
				return true;
	return false;
}
