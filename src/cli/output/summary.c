/* SPDX-License-Identifier: BSD-2-Clause */
/* summary - reads the terminal's width, and the program's exit status. */
#include "cli/output/summary.h"

#include "report/causal/verdict.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

bool summary_is_renewable(FILE *out)
{
	const char *terminal = getenv("TERM");

	return isatty(fileno(out)) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

struct report_options summary_options(FILE *out, unsigned most)
{
	struct report_options options = {.columns = 100, .most = most};
	const char *no_colour = getenv("NO_COLOR");
	struct winsize size;
	bool is_terminal = isatty(fileno(out));

	if (is_terminal && !ioctl(fileno(out), TIOCGWINSZ, &size) && size.ws_col >= 40)
		options.columns = size.ws_col;
	options.colour = summary_is_renewable(out) && !(no_colour && *no_colour);
	return options;
}

bool summary_has_answer(const struct causal *causal)
{
	struct target_verdicts verdicts = verdicts_of(causal);
	bool has_any = verdicts.count > 0;

	verdicts_release(&verdicts);
	return has_any;
}

void summary_program_end(int status)
{
	if (status < 0 || (WIFEXITED(status) && !WEXITSTATUS(status)))
		return;
	if (WIFSIGNALED(status))
		fprintf(stderr, "lever: the program was ended by signal %d (%s)\n",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		fprintf(stderr, "lever: the program ended with exit code %d\n",
			WEXITSTATUS(status));
}
