/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * requests - requests on accepted connections as the unit of work: which ports the program listens
 * on, and what to say while no request comes.
 *
 * A program that listens and visits no other point is measured by its requests without being asked.
 */
#include "experiment/session/state.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "collect/process/listeners.h"
#include "collect/requests.h"
#include "experiment/progress/progress_kinds.h"

#include <errno.h>
#include <string.h>

#define LOOK_SOON_NS 300000000ull
#define LOOK_LATER_NS 3000000000ull /* a server seldom opens another port */
#define QUIET_NS 5000000000ull
#define NAMED_MOST 3
#define ANSWERED_LEAST 100 /* requests, to tell percentiles */
#define IDLE_TOLD 0.5      /* of the time of the threads that serve */

static const struct point_spec default_point = {.kind = &progress_requests, .text = "requests"};

struct search {
	struct session *session;
	unsigned found;
	char *names;        /* "port 80, port 443, /run/server.sock" */
	const char *wanted; /* by a point: "80", "/run/server.sock"; NULL: none */
	bool has_wanted;
};

static bool is_named(const struct listener *listener, const char *name)
{
	uint64_t port;

	return listener->port ? text_to_unsigned(name, &port) && port == listener->port :
				!strcmp(name, listener->path);
}

static void on_listener(void *context, const struct listener *listener)
{
	struct search *search = context;
	AUTO(text)
	char *name =
		listener->port ? text_format("port %u", listener->port) : text_copy(listener->path);

	search->has_wanted |= search->wanted && is_named(listener, search->wanted);
	if (listener->port)
		collector_add_listening_port(search->session->collector, listener->port);
	if (search->names && strstr(search->names, name))
		return; /* of IPv4 and of IPv6 */
	if (++search->found > NAMED_MOST)
		return;
	char *longer = text_format("%s%s%s", search->names ? search->names : "",
				   search->names ? ", " : "", name);
	free(search->names);
	search->names = longer;
}

/* Tells the collector which ports are listened on. Returns whether `wanted` is among them. */
static bool find_listeners(struct session *session, const char *wanted)
{
	struct search search = {.session = session, .wanted = wanted};
	struct process_list processes = {0};

	session_processes_list(session, &processes);
	listeners_each(processes.items, processes.count, on_listener, &search);
	process_list_release(&processes);
	free(session->requests.listeners);
	session->requests.listeners = take(&search.names);
	return search.has_wanted;
}

/* Processes that are named run already, and so do their servers. */
static int check_listens(struct session *session, const struct point_spec *spec,
			 struct error *error)
{
	const struct process_selection *selection = &session->driver.options->selection;

	if (find_listeners(session, spec->name) || !spec->name ||
	    !process_selection_has_sources(selection) || selection->cgroup)
		return 0;
	return error_set(error, -ENOENT,
			 "%s: no process that is profiled listens there%s%s%s; `ss -lxntup` shows "
			 "who listens where",
			 spec->text, session->requests.listeners ? " (they do on " : "",
			 session->requests.listeners ? session->requests.listeners : "",
			 session->requests.listeners ? ")" : "");
}

int session_requests_open(struct session *session, struct error *error)
{
	const struct session_options *options = session->options;
	int code = 0;

	for (size_t i = 0; i < options->point_count && !code; i++) {
		if (!options->points[i].kind->counts_requests)
			continue;
		session->requests.are_counted = true;
		code = check_listens(session, &options->points[i], error);
	}
	return code;
}

static bool may_be_default(const struct session *session)
{
	const struct session_options *options = session->options;

	return !options->point_count && !options->pair_count && !options->end_to_end &&
	       !strcmp(collector_engine(session->collector), "kernel") &&
	       !progress_points_named_visited(session->points);
}

static int count_by_default(struct session *session, struct error *error)
{
	find_listeners(session, NULL);
	if (!session->requests.listeners)
		return 0;
	int code = progress_points_add_default(session->points, &default_point, error);
	if (code)
		return code;
	session->requests.are_counted = session->requests.are_default = true;
	find_listeners(session, NULL); /* for the new point */
	AUTO(text)
	char *sentence = text_format("the program accepts connections (%s): a request is the unit "
				     "of work, if any come; choose another one with --progress",
				     session->requests.listeners);
	driver_message(&session->driver, sentence);
	return 0;
}

/* Says once that requests have stopped coming. */
static void watch_load(struct session *session, uint64_t now)
{
	uint64_t requests = progress_points_requests(session->points);

	if (requests != session->requests.seen) {
		session->requests.seen = requests;
		session->requests.seen_ns = now;
		session->requests.is_quiet = false;
	} else if (requests && !session->requests.is_quiet &&
		   now - session->requests.seen_ns > QUIET_NS) {
		session->requests.is_quiet = true;
		driver_message(&session->driver, "no request has come for 5 s; measuring goes on "
						 "when the load does (Ctrl-C to end it)");
	}
}

int session_requests_refresh(struct session *session, struct error *error)
{
	uint64_t now = clock_now_ns();
	uint64_t every = session->requests.seen ? LOOK_LATER_NS : LOOK_SOON_NS;

	if (session->requests.are_counted) {
		watch_load(session, now);
		session_peers_refresh(session);
	}
	if (now - session->requests.looked_ns < every)
		return 0;
	session->requests.looked_ns = now;
	if (session->requests.are_counted)
		find_listeners(session, NULL);
	else if (may_be_default(session))
		return count_by_default(session, error);
	return 0;
}

char *session_requests_waiting(const struct session *session)
{
	const char *listeners = session->requests.listeners;

	if (listeners)
		return text_format("waiting for the first request: the program listens (%s), and "
				   "no client has sent one that it answered; start the load",
				   listeners);
	return text_copy("waiting for the first request: no process of the program listens on a "
			 "port or a Unix socket; `ss -lxntup` shows who does");
}

static char *duration(double ns)
{
	return ns < 1e6 ? text_format("%.0f us", ns / 1e3) :
	       ns < 1e9 ? text_format("%.1f ms", ns / 1e6) :
			  text_format("%.1f s", ns / 1e9);
}

char *session_requests_served(const struct session *session, bool *is_idle)
{
	struct collector_service service;

	*is_idle = false;
	collector_service(session->collector, &service);
	if (!session->requests.are_counted || service.answered < ANSWERED_LEAST)
		return NULL;
	AUTO(text) char *half = duration(service.p50_ns);
	AUTO(text) char *most = duration(service.p99_ns);
	*is_idle = service.waiting_share >= IDLE_TOLD;
	return text_format("threads that serve requests (%u) wait for the next one %.0f %% of the "
			   "time%s; an answer begins %s (p50) to %s (p99) after its request was "
			   "read",
			   service.threads, 100 * service.waiting_share,
			   *is_idle ? ": the load, and not the server, may be the limit; add "
				      "clients, or look at what keeps them waiting" :
				      "",
			   half, most);
}

void session_requests_close(struct session *session)
{
	free(session->requests.listeners);
}
