/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * processes - which processes a session profiles: its program's, or some that run already, all of
 * them or those of certain names.
 */
#include "experiment/session/drain.h"
#include "experiment/session/state.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "collect/process/executed_path.h"
#include "collect/process/selection.h"
#include "experiment/session/processes.h"
#include "symbolize/parser/start.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define REFRESH_NS 300000000ull
#define SELECTION_ROUNDS 3
#define RESTART_NS 10000000000ull /* a server that has ended may be started anew meanwhile */

CLEANUP_DEFINE(folder, DIR *, closedir, NULL)

/* They start the processes of a parallel program, and then wait for them. */
static const char *const launchers[] = {
	"mpirun",          "mpiexec", "mpirun.openmpi", "mpiexec.openmpi",
	"mpirun.mpich",    "orterun", "mpiexec.mpich",  "mpiexec.hydra",
	"hydra_pmi_proxy", "prterun", "orted",          "prte",
	"prted",           "srun",
};

static bool is_launcher(const char *name)
{
	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++)
		if (!strcmp(name, launchers[i]))
			return true;
	return false;
}

static const struct process_selection *selection_of(const struct session *session)
{
	return &session->driver.options->selection;
}

static bool is_wanted(const struct session *session, const char *name)
{
	const struct process_selection *selection = selection_of(session);
	bool is_asked = false;

	for (size_t i = 0; i < selection->name_count; i++)
		is_asked = is_asked || *selection->names[i] != '!';
	return process_selection_wants_name(selection, name) && (is_asked || !is_launcher(name));
}

void session_processes_on_name(struct session *session, const struct kernel_name_event *event)
{
	char name[sizeof(event->name) + 1] = "";

	memcpy(name, event->name, sizeof(event->name));
	collector_filter_name(session->collector, name, is_wanted(session, name));
}

void session_processes_on_process(struct session *session, const struct kernel_process_event *event)
{
	if (event->kind == KERNEL_EVENT_EXEC && session->listening)
		point_listening_add(session->listening, (pid_t)event->tgid);
	if (event->kind == KERNEL_EVENT_FORK)
		live_processes_add(&session->processes, (pid_t)event->tgid);
	if (event->kind == KERNEL_EVENT_EXIT)
		live_processes_remove(&session->processes, (pid_t)event->tgid);
}

int session_processes_open(struct session *session, struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers) && !code; i++)
		code = collector_filter_name(session->collector, launchers[i],
					     is_wanted(session, launchers[i]));
	if (selection_of(session)->name_count)
		collector_announce_names(session->collector);
	return code ? error_set(error, code, "cannot send the names of processes to the engine: %s",
				strerror(-code)) :
		      0;
}

static void add_main_object(struct session *session, pid_t pid)
{
	AUTO(text) char *link = text_format("/proc/%d/exe", (int)pid);
	AUTO(text) char *path = process_executed_path(pid);
	uint32_t object;

	if (path)
		symbols_add_object(session->symbols, path, link, true, &object, NULL);
}

static void add_mapped_files(struct session *session, pid_t pid)
{
	AUTO(text) char *name = text_format("/proc/%d/maps", (int)pid);
	AUTO(file) FILE *maps = fopen(name, "re");
	AUTO(text) char *line = NULL;
	size_t room = 0;

	add_main_object(session, pid); /* first: the executable is in scope */
	while (maps && getline(&line, &room, maps) > 0) {
		char range[40], rights[8];
		int at = 0;
		uint32_t object;
		if (sscanf(line, "%39s %7s %*s %*s %*s %n", range, rights, &at) < 2 || !at ||
		    line[at] != '/' || !strchr(rights, 'x'))
			continue;
		line[strcspn(line, "\n")] = 0;
		AUTO(text) char *file = text_format("/proc/%d/map_files/%s", (int)pid, range);
		symbols_add_object(session->symbols, line + at, file, false, &object, NULL);
	}
}

static int add_process(struct session *session, pid_t pid, struct error *error)
{
	AUTO(text) char *name = process_name(pid);
	int code = collector_add_process(session->collector, pid, error);
	if (code || live_processes_has(&session->processes, pid))
		return code;
	live_processes_add(&session->processes, pid);
	if (!name || !is_wanted(session, name))
		return 0;
	add_main_object(session, pid);
	point_listening_add(session->listening, pid);
	return 0;
}

/* Adds those that are not followed yet; one that is named must be there. */
static int add_selected(struct session *session, const struct process_selection *selection,
			bool *has_grown, struct error *error)
{
	struct process_list found = {0};
	int code = process_selection_find(selection, false, &found, error);

	*has_grown = false;
	for (size_t i = 0; i < found.count && !code; i++) {
		if (live_processes_has(&session->processes, found.items[i]))
			continue;
		*has_grown = true;
		bool is_named = process_selection_has_pid(selection, found.items[i]);
		int refused = add_process(session, found.items[i], is_named ? error : NULL);
		code = is_named ? refused : 0;
	}
	process_list_release(&found);
	return code;
}

/* Lever, its shell, the terminal or sshd above: they must not wait for lever's own pauses. */
static int leave_out_ancestors(struct session *session, struct error *error)
{
	int code = collector_exclude_process(session->collector, getpid(), error);
	pid_t parser = symbols_process(session->symbols);

	if (!code && parser)
		code = collector_exclude_process(session->collector, parser, error);
	for (pid_t pid = process_parent(getpid()); !code && pid > 0; pid = process_parent(pid))
		collector_exclude_process(session->collector, pid, NULL);
	return code;
}

/* Calls `found` for every process whose name is wanted; tells their number. */
static size_t each_wanted(struct session *session,
			  void (*found)(struct session *session, pid_t pid))
{
	AUTO(folder) DIR *processes = opendir("/proc");
	size_t count = 0;

	for (struct dirent *entry; processes && (entry = readdir(processes));) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		AUTO(text) char *name = pid > 0 && pid != getpid() ? process_name(pid) : NULL;
		if (!name || !is_wanted(session, name))
			continue;
		found(session, pid);
		count++;
	}
	return count;
}

static void listen_to(struct session *session, pid_t pid)
{
	point_listening_add_now(session->listening, pid);
}

void session_processes_add_files(struct session *session)
{
	for (size_t i = 0; i < session->processes.count; i++)
		add_mapped_files(session, session->processes.items[i]);
	if (!process_selection_has_sources(selection_of(session)))
		each_wanted(session, add_mapped_files);
}

static bool has_lost_listener(const struct session *session)
{
	for (size_t i = 0; i < session->listeners.count; i++)
		if (!live_processes_has(&session->processes, session->listeners.items[i]))
			return true;
	return false;
}

/* Those that listen on the ports that were asked for are known until one of them ends. */
static bool find_listeners(struct session *session)
{
	struct process_selection ports = {.ports = selection_of(session)->ports,
					  .port_count = selection_of(session)->port_count};
	struct process_list found;

	ports.without_children = true;
	if (process_selection_find(&ports, false, &found, NULL)) {
		process_list_release(&found);
		return false;
	}
	process_list_release(&session->listeners);
	session->listeners = found;
	return true;
}

static void tell_taken_in(struct session *session, pid_t pid)
{
	AUTO(text) char *name = process_name(pid);
	AUTO(text)
	char *sentence = text_format("%s (process %d) listens on the port now, and belongs to the "
				     "program",
				     name ? name : "a server", (int)pid);

	driver_message(&session->driver, sentence);
}

/*
 * A process may fork between being found and being followed: its child is found in the next round.
 */
static int add_in_rounds(struct session *session, const struct process_selection *selection,
			 struct error *error)
{
	bool has_grown = true;
	int code = 0;

	for (int round = 0; round < SELECTION_ROUNDS && has_grown && !code; round++)
		code = add_selected(session, selection, &has_grown, error);
	return code;
}

/* Those that listen on the ports now, with the children that they have by now. */
static void follow_listeners(struct session *session)
{
	struct process_selection all = *selection_of(session);
	bool is_told = false;

	if (!find_listeners(session))
		return;
	for (size_t i = 0; i < session->listeners.count && !is_told; i++) {
		is_told = !live_processes_has(&session->processes, session->listeners.items[i]);
		if (is_told)
			tell_taken_in(session, session->listeners.items[i]);
	}
	all.pid_count = 0;
	all.cgroup = NULL;
	add_in_rounds(session, &all, NULL);
}

/* A child that was forked while its parent was being taken in. */
static void follow_descendants(struct session *session)
{
	struct process_list found = {0};
	struct process_table table;

	for (size_t i = 0; i < session->processes.count; i++)
		*array_add(&found) = session->processes.items[i];
	process_table_read(&table);
	process_table_add_descendants(&table, &found);
	process_table_release(&table);
	for (size_t i = 0; i < found.count; i++)
		if (!live_processes_has(&session->processes, found.items[i]))
			add_process(session, found.items[i], NULL);
	process_list_release(&found);
}

bool session_processes_take_in(struct session *session, pid_t pid)
{
	const struct process_selection *selection = selection_of(session);

	if (selection->port_count)
		follow_listeners(session);
	else if (selection->pid_count && !selection->without_children)
		follow_descendants(session);
	return live_processes_has(&session->processes, pid);
}

int session_processes_follow(struct session *session, struct error *error)
{
	bool has_sources = process_selection_has_sources(selection_of(session));
	int code = leave_out_ancestors(session, error);

	session->listening = point_listening_new(session->listens_to_spans);
	if (!code && has_sources)
		code = add_in_rounds(session, selection_of(session), error);
	if (!code && selection_of(session)->port_count)
		find_listeners(session);
	if (code) {
		session->driver.result->end = DRIVER_WRONG_USAGE;
		return code;
	}
	if (!has_sources) {
		if (!each_wanted(session, listen_to)) /* the engine follows all others */
			driver_message(&session->driver,
				       "no process with such a name runs yet; \"ps -e -o comm=\" "
				       "lists the names");
		collector_follow_all(session->collector);
	}
	return 0;
}

void session_processes_refresh(struct session *session)
{
	bool has_grown;
	uint64_t now = clock_now_ns();

	if (!session->listening || now - session->refreshed_ns < REFRESH_NS)
		return;
	session->refreshed_ns = now;
	point_listening_refresh(session->listening);
	struct process_selection later = process_selection_later(selection_of(session));
	if (later.cgroup)
		add_selected(session, &later, &has_grown, NULL);
	if (has_lost_listener(session)) /* it may have been started anew */
		follow_listeners(session);
}

static bool any_runs(const struct session *session)
{
	for (size_t i = 0; i < session->processes.count; i++)
		if (!kill(session->processes.items[i], 0) ||
		    (errno == EPERM && !session->driver.options->arguments))
			return true;
	return false;
}

/* Running ones, or for some time a server on a port that may be started anew. */
static bool selected_run(struct session *session)
{
	bool has_ports = selection_of(session)->port_count;

	if (process_selection_is_open(selection_of(session)) || any_runs(session)) {
		session->none_since_ns = 0;
		return true;
	}
	if (has_ports && !session->none_since_ns) {
		session->none_since_ns = clock_now_ns();
		driver_message(&session->driver, "the server has ended; waiting 10 s for one that "
						 "is started anew on its port");
	}
	return has_ports && clock_now_ns() - session->none_since_ns < RESTART_NS;
}

bool session_program_runs(struct session *session)
{
	bool had_ended = session->driver.program.has_ended;

	if (!session->driver.options->arguments)
		return selected_run(session);
	if (!program_poll(&session->driver.program))
		return true;
	/* A process that outlives it may have been announced, and not been read yet. */
	if (!had_ended)
		session_drain(session);
	if (!any_runs(session))
		return false;
	session->driver.program.ended_ns = clock_now_ns(); /* so far */
	return true;
}

void session_processes_list(const struct session *session, struct process_list *list)
{
	struct process_table table;

	*list = (struct process_list){0};
	if (session->driver.options->arguments && session->driver.program.pid > 0)
		*array_add(list) = session->driver.program.pid;
	for (size_t i = 0; i < session->processes.count; i++)
		*array_add(list) = session->processes.items[i];
	if (session->driver.options->arguments ||
	    process_selection_has_sources(selection_of(session)))
		return;
	process_table_read(&table);
	for (size_t i = 0; i < table.count; i++) {
		AUTO(text) char *name = process_name(table.items[i].pid);
		if (name && is_wanted(session, name))
			*array_add(list) = table.items[i].pid;
	}
	process_table_release(&table);
}

char *session_processes_command(const struct session *session)
{
	const struct process_selection *selection = selection_of(session);
	ARRAY(char *) words = {0};

	for (size_t i = 0; i < selection->pid_count; i++)
		*array_add(&words) = text_format("--pid=%d", (int)selection->pids[i]);
	for (size_t i = 0; i < selection->port_count; i++)
		*array_add(&words) = text_format("--port=%u", selection->ports[i]);
	if (selection->without_children)
		*array_add(&words) = text_copy("--no-children");
	if (selection->cgroup)
		*array_add(&words) = text_format("--cgroup=%s", selection->cgroup);
	if (!process_selection_has_sources(selection) && !selection->name_count)
		*array_add(&words) = text_copy("--system");
	for (size_t i = 0; i < selection->name_count; i++)
		*array_add(&words) = text_format("--comm=%s", selection->names[i]);
	*array_add(&words) = NULL;
	char *command = recording_command(words.items);
	for (size_t i = 0; i < words.count; i++)
		free(words.items[i]);
	array_free(&words);
	return command;
}

void session_processes_close(struct session *session)
{
	point_listening_free(session->listening);
	live_processes_release(&session->processes);
	process_list_release(&session->listeners);
}
