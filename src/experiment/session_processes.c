/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session_processes - which processes a session looks at: its program's, or such as run already.
 *
 * A program that runs already may have points of lever.h that nobody listens to. They are told to
 * count, and told to stop at the end: by one word in the program's memory (wire/points.h). Beside it, only
 * what an earlier lever has left in the stacks of open spans is wiped, and what the middle of a span does to them.
 */
#include "experiment/session_state.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "collect/process/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define REFRESH_NS 300000000ull
#define LISTEN_TRIES 4
#define LISTEN_TRY_NS 200000000ull
#define LISTENING_MOST 512 /* descriptors */
#define CLEAR_NS 1500000000ull
#define CLEAR_TIMES 12

/* A process whose points page may appear yet. */
struct trial {
	pid_t pid;
	unsigned tries;
	uint64_t next_ns;
};

struct listening {
	int memory; /* /proc/PID/mem: of the same address space, whoever has the id later */
	off_t address;
	unsigned cleared; /* times */
	uint64_t next_ns;
};

struct session_processes {
	ARRAY(struct trial) trials;
	ARRAY(struct listening) listening;
	uint64_t refreshed_ns;
	unsigned listen; /* POINTS_LISTEN_* */
};

CLEANUP_DEFINE(folder, DIR *, closedir, NULL)

/* What starts the processes of a parallel program, and then waits for them. */
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

/* ---- names ---- */

static bool is_wanted(const struct process_selection *selection, const char *name)
{
	bool is_asked = false, matches = false;

	for (size_t i = 0; i < selection->name_count; i++) {
		const char *glob = selection->names[i];
		bool is_negative = *glob == '!';
		if (is_negative && !fnmatch(glob + 1, name, 0))
			return false;
		is_asked = is_asked || !is_negative;
		matches = matches || (!is_negative && !fnmatch(glob, name, 0));
	}
	return is_asked ? matches : !is_launcher(name);
}

void session_processes_on_name(struct session *session, const struct kernel_name_event *event)
{
	char name[sizeof(event->name) + 1] = "";

	memcpy(name, event->name, sizeof(event->name));
	collector_filter_name(session->collector, name,
			      is_wanted(&session->options->selection, name));
}

int session_processes_open(struct session *session, struct error *error)
{
	const struct process_selection *selection = &session->options->selection;
	int code = 0;

	session->members = memory_new(1, sizeof(*session->members));
	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers) && !code; i++)
		code = collector_filter_name(session->collector, launchers[i],
					     is_wanted(selection, launchers[i]));
	if (selection->name_count)
		collector_announce_names(session->collector);
	return code ? error_set(error, code, "cannot tell the kernel side of names: %s",
				strerror(-code)) :
		      0;
}

/* ---- points of programs that run already ---- */

static bool points_are_at(int memory, off_t address, bool *is_listening)
{
	struct points_names head;
	size_t size = offsetof(struct points_names, generation);

	if (pread(memory, &head, size, address) != (ssize_t)size || head.magic != POINTS_MAGIC ||
	    head.version != POINTS_VERSION)
		return false;
	*is_listening = head.listening;
	return true;
}

static bool set_listening(int memory, off_t address, unsigned value)
{
	off_t at = address + (off_t)offsetof(struct points_names, listening);
	return pwrite(memory, &value, sizeof(value), at) == (ssize_t)sizeof(value);
}

static off_t opens_of(int memory, off_t address)
{
	unsigned long long opens = 0;
	off_t at = address + (off_t)offsetof(struct points_names, opens);
	return pread(memory, &opens, sizeof(opens), at) == (ssize_t)sizeof(opens) ? (off_t)opens :
										    0;
}

/* Spans that had begun while an earlier lever listened, and whose end nobody has heard. */
static void forget_open_spans(int memory, off_t address)
{
	off_t opens = opens_of(memory, address);
	struct points_open open;
	unsigned none = 0;

	for (size_t i = 0; opens && i < POINTS_OPENS; i++) {
		off_t at = opens + (off_t)(offsetof(struct points_opens, threads) +
					   i * sizeof(struct points_open));
		if (pread(memory, &open, sizeof(open), at) != (ssize_t)sizeof(open))
			return;
		at += (off_t)offsetof(struct points_open, depth);
		if (open.depth && pwrite(memory, &none, sizeof(none), at) != (ssize_t)sizeof(none))
			return;
	}
}

/*
 * The end of a span that had begun unheard looks like that of another thread's. So what is known of such is
 * forgotten now and then at first; those that do end in other threads are soon known again.
 */
static void forget_crossing(struct listening *one, uint64_t now)
{
	static const unsigned char none[POINTS_MOST];

	if (one->cleared >= CLEAR_TIMES || now < one->next_ns)
		return;
	off_t opens = opens_of(one->memory, one->address);
	one->cleared++;
	one->next_ns = now + CLEAR_NS;
	if (opens && pwrite(one->memory, none, sizeof(none),
			    opens + (off_t)offsetof(struct points_opens, crossing)) < 0)
		one->cleared = CLEAR_TIMES; /* it has gone */
}

/* Returns whether there is nothing more to do. */
static bool listen_to(struct session_processes *members, pid_t pid)
{
	static const off_t addresses[] = {(off_t)POINTS_ADDRESS, (off_t)POINTS_ADDRESS_OTHER};
	AUTO(text) char *path = text_format("/proc/%d/mem", (int)pid);
	AUTO(fd) int memory = open(path, O_RDWR | O_CLOEXEC);

	if (memory < 0 || members->listening.count >= LISTENING_MOST)
		return true;
	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++) {
		bool is_listening;
		if (!points_are_at(memory, addresses[i], &is_listening))
			continue;
		if (is_listening)
			return true;
		if (members->listen & POINTS_LISTEN_SPANS)
			forget_open_spans(memory, addresses[i]);
		if (!set_listening(memory, addresses[i], members->listen))
			return true;
		*array_add(&members->listening) =
			(struct listening){.memory = memory,
					   .address = addresses[i],
					   .next_ns = clock_now_ns() + CLEAR_NS};
		memory = -1;
		return true;
	}
	return false;
}

static void try_to_listen(struct session_processes *members, pid_t pid)
{
	if (!listen_to(members, pid))
		*array_add(&members->trials) =
			(struct trial){.pid = pid, .next_ns = clock_now_ns() + LISTEN_TRY_NS};
}

static void retry_to_listen(struct session_processes *members)
{
	uint64_t now = clock_now_ns();
	size_t kept = 0;

	for (size_t i = 0; i < members->trials.count; i++) {
		struct trial trial = members->trials.items[i];
		if (now >= trial.next_ns) {
			trial.next_ns = now + LISTEN_TRY_NS;
			if (++trial.tries > LISTEN_TRIES || listen_to(members, trial.pid))
				continue;
		}
		members->trials.items[kept++] = trial;
	}
	members->trials.count = kept;
}

void session_processes_on_process(struct session *session, const struct kernel_process_event *event)
{
	if (event->kind == KERNEL_EVENT_EXEC && !session->options->arguments)
		try_to_listen(session->members, (pid_t)event->tgid);
}

/* ---- selection ---- */

static char *name_of(pid_t pid)
{
	AUTO(text) char *path = text_format("/proc/%d/comm", (int)pid);
	AUTO(file) FILE *file = fopen(path, "re");
	char name[64] = "";

	if (!file || !fgets(name, sizeof(name), file))
		return NULL;
	name[strcspn(name, "\n")] = 0;
	return text_copy(name);
}

static void add_main_object(struct session *session, pid_t pid)
{
	AUTO(text) char *link = text_format("/proc/%d/exe", (int)pid);
	char path[4096];
	ssize_t length = readlink(link, path, sizeof(path) - 1);
	uint32_t object;

	if (length <= 0)
		return;
	path[length] = 0;
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

static void forget(struct session *session, pid_t pid)
{
	for (size_t i = 0; i < session->processes.count; i++)
		if (session->processes.items[i] == (uint32_t)pid)
			session->processes.items[i--] =
				session->processes.items[--session->processes.count];
}

static bool knows(const struct session *session, pid_t pid)
{
	for (size_t i = 0; i < session->processes.count; i++)
		if (session->processes.items[i] == (uint32_t)pid)
			return true;
	return false;
}

static int add_process(struct session *session, pid_t pid, struct error *error)
{
	AUTO(text) char *name = name_of(pid);

	if (pid == getpid())
		return error_set(error, -EINVAL, "process %d is this lever itself", (int)pid);
	int code = collector_add_process(session->collector, pid, error);
	if (code || knows(session, pid))
		return code;
	*array_add(&session->processes) = (uint32_t)pid;
	if (!name || !is_wanted(&session->options->selection, name))
		return 0;
	add_main_object(session, pid);
	try_to_listen(session->members, pid);
	return 0;
}

static void add_found(void *context, pid_t pid)
{
	struct session *session = context;

	if (pid != getpid() && !knows(session, pid) && add_process(session, pid, NULL))
		forget(session, pid);
}

/* Lever itself, its shell, the terminal or sshd above: none of them may wait for its own pauses. */
static int leave_out_ancestors(struct session *session, struct error *error)
{
	pid_t pid = getpid();
	int code = collector_exclude_process(session->collector, pid, error);

	while (!code && pid > 1) {
		AUTO(text) char *path = text_format("/proc/%d/stat", (int)pid);
		AUTO(file) FILE *file = fopen(path, "re");
		char text[512] = "";
		int parent = 0;
		if (file)
			text[fread(text, 1, sizeof(text) - 1, file)] = 0;
		const char *end = strrchr(text, ')'); /* the name may hold anything */
		if (!end || sscanf(end + 1, " %*c %d", &parent) != 1)
			break;
		pid = parent;
		if (pid > 0)
			collector_exclude_process(session->collector, pid, NULL);
	}
	return code;
}

/* Everything that runs and is not left out by its name. */
static void each_wanted(struct session *session, void (*found)(struct session *session, pid_t pid))
{
	AUTO(folder) DIR *processes = opendir("/proc");

	for (struct dirent *entry; processes && (entry = readdir(processes));) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		AUTO(text) char *name = pid > 0 && pid != getpid() ? name_of(pid) : NULL;
		if (name && is_wanted(&session->options->selection, name))
			found(session, pid);
	}
}

static void listen_to_one(struct session *session, pid_t pid)
{
	listen_to(session->members, pid);
}

void session_processes_add_files(struct session *session)
{
	const struct process_selection *selection = &session->options->selection;

	for (size_t i = 0; i < session->processes.count; i++)
		add_mapped_files(session, (pid_t)session->processes.items[i]);
	if (!selection->process_count && !selection->cgroup)
		each_wanted(session, add_mapped_files);
}

int session_processes_follow(struct session *session, struct error *error)
{
	const struct process_selection *selection = &session->options->selection;
	int code = 0;

	session->members->listen =
		POINTS_LISTEN_COUNT | (session->listens_to_spans ? POINTS_LISTEN_SPANS : 0);
	for (size_t i = 0; i < selection->process_count && !code; i++)
		code = add_process(session, selection->processes[i], error);
	code = code ? code : leave_out_ancestors(session, error);
	if (selection->cgroup && !code)
		code = cgroup_each(selection->cgroup, add_found, session, error);
	if (code) {
		session->result->end = SESSION_WRONG_USAGE;
		return code;
	}
	if (!selection->process_count && !selection->cgroup) {
		each_wanted(session, listen_to_one); /* who is met is taken in by the kernel side */
		collector_follow_all(session->collector);
	}
	return 0;
}

void session_processes_refresh(struct session *session)
{
	const struct process_selection *selection = &session->options->selection;
	struct session_processes *members = session->members;
	uint64_t now = clock_now_ns();

	if (session->options->arguments || now - members->refreshed_ns < REFRESH_NS)
		return;
	members->refreshed_ns = now;
	retry_to_listen(members);
	for (size_t i = 0; members->listen & POINTS_LISTEN_SPANS && i < members->listening.count;
	     i++)
		forget_crossing(&members->listening.items[i], now);
	if (selection->cgroup)
		cgroup_each(selection->cgroup, add_found, session, NULL);
}

bool session_processes_live(struct session *session)
{
	if (!session->options->selection.process_count || session->options->selection.cgroup)
		return true;
	for (size_t i = 0; i < session->processes.count; i++)
		if (!kill((pid_t)session->processes.items[i], 0) || errno == EPERM)
			return true;
	return false;
}

char *session_processes_command(const struct session *session)
{
	const struct process_selection *selection = &session->options->selection;
	ARRAY(char *) words = {0};

	for (size_t i = 0; i < selection->process_count; i++)
		*array_add(&words) = text_format("--pid=%d", (int)selection->processes[i]);
	if (selection->cgroup)
		*array_add(&words) = text_format("--cgroup=%s", selection->cgroup);
	if (!selection->process_count && !selection->cgroup)
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
	struct session_processes *members = session->members;

	if (!members)
		return;
	for (size_t i = 0; i < members->listening.count; i++) {
		const struct listening *one = &members->listening.items[i];
		bool is_listening;
		if (points_are_at(one->memory, one->address, &is_listening))
			set_listening(one->memory, one->address, 0);
		close(one->memory);
	}
	array_free(&members->listening);
	array_free(&members->trials);
	free(members);
	session->members = NULL;
}
