/* SPDX-License-Identifier: BSD-2-Clause */
/* debug_fetch - loads libdebuginfod when servers are named, and listens to its progress. */
#include "symbolize/debug_fetch.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#define LIBRARY "libdebuginfod.so.1"
#define PATIENCE_S 30 /* servers may have to unpack the file first */

/* The library's own interface, as elfutils/debuginfod.h has it. */
typedef int progress_function(struct debuginfod_client *client, long part, long whole);
typedef struct debuginfod_client *begin_function(void);
typedef int find_function(struct debuginfod_client *client, const unsigned char *id, int length,
			  char **path);
typedef void end_function(struct debuginfod_client *client);
typedef void set_progress_function(struct debuginfod_client *client, progress_function *progress);

static debug_fetch_notify *notify;
static void *notify_context;
static const char *current;
static uint64_t begun_ns;
static bool has_given_up; /* servers that do not answer cost their time once, not for each file */

void debug_fetch_set_notify(debug_fetch_notify *function, void *context)
{
	notify = function;
	notify_context = context;
}

/* A program without shared libraries cannot load one of another C library. It stays loaded. */
static void *load(void)
{
#ifdef LEVER_RELOCATABLE
	return NULL;
#else
	const char *servers = getenv("DEBUGINFOD_URLS");

	return servers && *servers ? dlopen(LIBRARY, RTLD_LAZY) : NULL;
#endif
}

bool debug_fetch_is_possible(void)
{
	return load() != NULL;
}

/* The library's own limit counts, if there is one, and not its 90 s. */
static uint64_t patience_ns(void)
{
	const char *limit = getenv("DEBUGINFOD_TIMEOUT");
	uint64_t seconds = PATIENCE_S;

	if (limit && (!text_to_unsigned(limit, &seconds) || !seconds || seconds > INT32_MAX))
		seconds = PATIENCE_S;
	return seconds * 1000000000u;
}

/* `whole` is known as soon as a server has the file; until then `part` counts calls. */
static int on_progress(struct debuginfod_client *client, long part, long whole)
{
	(void)client;
	if (has_given_up)
		return 1;
	has_given_up = whole <= 0 && clock_now_ns() - begun_ns > patience_ns();
	if (!notify)
		return has_given_up;
	return has_given_up ? notify(notify_context, NULL, 0, 0) :
			      notify(notify_context, current, part > 0 ? (uint64_t)part : 0,
				     whole > 0 ? (uint64_t)whole : 0);
}

static void watch(struct debuginfod_client *client, void *library)
{
	set_progress_function *set;

	begun_ns = clock_now_ns();
	*(void **)&set = dlsym(library, "debuginfod_set_progressfn");
	if (client && set)
		set(client, on_progress);
}

void debug_fetch_watch(Dwfl *dwfl, const char *name)
{
	void *library = load();

	current = name;
	if (library && notify)
		watch(dwfl_get_debuginfod_client(dwfl), library);
}

char *debug_fetch_by_build_id(const char *id, const char *name)
{
	void *library = load();
	begin_function *begin;
	find_function *find;
	end_function *end;
	char *path = NULL;

	if (!library || has_given_up)
		return NULL;
	*(void **)&begin = dlsym(library, "debuginfod_begin"); /* the cast that POSIX recommends */
	*(void **)&find = dlsym(library, "debuginfod_find_debuginfo");
	*(void **)&end = dlsym(library, "debuginfod_end");
	struct debuginfod_client *client = begin && find && end ? begin() : NULL;
	if (!client)
		return NULL;
	current = name;
	watch(client, library);
	/* Length 0: the id is text. */
	int fd = find(client, (const unsigned char *)id, 0, &path);
	end(client);
	if (fd < 0)
		return NULL;
	close(fd);
	return path;
}
