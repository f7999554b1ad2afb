/* SPDX-License-Identifier: BSD-2-Clause */
/* run_live - the bodies of both views. */
#include "cli/commands/run_live.h"

#include "base/cleanup.h"
#include "cli/commands/serve.h"
#include "cli/output/message.h"
#include "cli/screen/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct page_context {
	const char *path;
};

/* Waits for the end of the recording: nothing is ever written there. */
static void wait_for_end(int until)
{
	char byte;

	while (read(until, &byte, 1) < 0 && errno == EINTR)
		continue;
}

static int serve_page(void *context, int stop, int until)
{
	const struct page_context *page = context;
	AUTO(text) char *token = http_token_new();
	const struct serve_options options = {.path = page->path,
					      .token = token,
					      .is_live = true,
					      .stop = stop};
	struct endpoint address = {0};
	struct error error = {0};
	struct serve *serve;

	if (endpoint_parse("127.0.0.1:0", &address, &error) ||
	    serve_begin(&options, &address, &serve, &error))
		return message_error(&error, EXIT_FAILED);
	AUTO(text) char *where = endpoint_text(&address);
	message_print(EXIT_ANSWERED, "the live page is %s/?token=%s", where, token);
	wait_for_end(until);
	serve_linger(serve);
	serve_end(serve);
	endpoint_release(&address);
	return EXIT_ANSWERED;
}

static int show_screen(void *context, int stop, int until)
{
	return screen_run(context, stop, until);
}

static bool has_terminal(void)
{
	AUTO(fd) int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);

	return terminal >= 0;
}

int run_live_begin(const struct run_options *options, struct live_view *view, struct error *error)
{
	static struct page_context page;
	char *path = (char *)(uintptr_t)options->common.output;

	page.path = path;
	if (options->serve && !http_server_is_built())
		return http_server_start(NULL, NULL, NULL, NULL, NULL, error);
	if (options->tui && !screen_is_built())
		return error_set(error, -ENOTSUP,
				 "this lever was built without --tui; install libncurses-dev and "
				 "run `make` again");
	if (options->serve && options->tui)
		return error_set(error, -EINVAL, "--serve and --tui exclude each other");
	if (options->tui && !has_terminal())
		return error_set(error, -ENOTTY,
				 "--tui needs a terminal; use --serve, or leave it out");
	if (options->tui && !screen_suits_terminal()) {
		const char *name = getenv("TERM");
		return error_set(error, -ENOTTY,
				 "--tui needs a terminal that moves its cursor, and TERM is '%s'; "
				 "use --serve, or leave it out",
				 name ? name : "");
	}
	if (options->serve)
		return live_view_begin(view, serve_page, &page, false, error);
	if (options->tui)
		return live_view_begin(view, show_screen, path, true, error);
	return 0;
}

void run_live_end(const struct run_options *options, struct live_view *view)
{
	live_view_end(view, options->tui);
}
