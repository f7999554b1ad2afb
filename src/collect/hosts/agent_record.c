/* SPDX-License-Identifier: BSD-2-Clause */
/* agent_record - one host's part of a recording over several hosts. */
#include "collect/hosts/agent_record.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "collect/hosts/agent_channel.h"
#include "collect/hosts/link.h"
#include "collect/hosts/messages.h"
#include "collect/hosts/start_gate.h"
#include "profile/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define POLL_MS 10
#define TELL_EVERY_NS 200000000ull
#define GONE_NS 30000000000ull /* of silence, after which the recording is over */
#define KILL_AFTER_NS 5000000000ull
#define SEND_EVERY_NS 2000000000ull
#define SEND_BYTES_PER_S \
	12500.0 /* on average, of files before the last: 1 % of 1 Gbit by 100 hosts */
#define PART_BYTES 262144
#define WORDS_MOST 4096

struct agent_record {
	const struct invitation *invitation;
	struct link *link;
	char folder[32];
	char *words; /* of lever's command line */
	char *arguments[WORDS_MOST];
	pid_t lever;
	int gate; /* lever waits there with its program; -1: it has been opened, or is none */
	int status;
	bool is_over, has_ended;
	uint64_t heard_ns, told_ns, stopped_ns, send_at_ns;
};

static void tell(struct agent_record *agent, uint32_t kind, const void *data, size_t size)
{
	link_send(agent->link, 0, &(struct link_content){.kind = kind, .data = data, .size = size});
}

static void trouble(struct agent_record *agent, const char *sentence)
{
	tell(agent, HOSTS_TROUBLE, sentence, strlen(sentence) + 1);
}

static char *file_path(const struct agent_record *agent, const char *name)
{
	return text_format("%s/%s", agent->folder, name);
}

/* ---- the file ---- */

/* Returns its size. */
static uint64_t send_file(struct agent_record *agent, const char *path)
{
	AUTO(fd) int file = open(path, O_RDONLY | O_CLOEXEC);
	AUTO(text) char *part = memory_new(1, PART_BYTES);
	struct stat found = {0};
	struct hosts_file head = {0};
	ssize_t size;

	if (file < 0 || fstat(file, &found))
		return 0;
	head.total = (uint64_t)found.st_size;
	while (head.offset < head.total && (size = read(file, part, PART_BYTES)) > 0) {
		link_send(agent->link, 0,
			  &(struct link_content){.kind = HOSTS_FILE,
						 .data = &head,
						 .size = sizeof(head),
						 .more = part,
						 .more_size = (size_t)size});
		head.offset += (uint64_t)size;
	}
	return head.total;
}

/* So that what was recorded is not lost with the host. */
static void send_so_far(struct agent_record *agent, uint64_t now)
{
	AUTO(text) char *path = file_path(agent, "recording.lever");
	AUTO(text) char *copy = file_path(agent, "copy.lever");
	struct error error = {0};

	if (agent->lever <= 0 || agent->has_ended || now < agent->send_at_ns)
		return;
	agent->send_at_ns = now + SEND_EVERY_NS;
	if (profile_copy(path, copy, &error))
		return; /* nothing is committed yet */
	uint64_t sent = send_file(agent, copy);
	unlink(copy);
	agent->send_at_ns += (uint64_t)((double)sent / SEND_BYTES_PER_S * 1e9);
}

/* ---- lever ---- */

static void run_lever(struct agent_record *agent, int gate)
{
	AUTO(text) char *index = text_format("%u", agent->invitation->index);
	AUTO(text) char *number = text_format("%d", gate);
	sigset_t none;

	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* an agent that is killed leaves nothing behind */
	setenv("LEVER_HOST", agent->invitation->name, 1);
	setenv("LEVER_HOST_INDEX", index, 1);
	if (gate >= 0 && !fcntl(gate, F_SETFD, 0))
		setenv(START_GATE_VARIABLE, number, 1);
	execv("/proc/self/exe", agent->arguments);
	_exit(127);
}

static void start_lever(struct agent_record *agent)
{
	int gate[2] = {-1, -1};

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, gate))
		trouble(agent, "no socket to start the program by; it starts at once");
	agent->lever = fork();
	if (!agent->lever)
		run_lever(agent, gate[1]);
	if (gate[1] >= 0)
		close(gate[1]);
	else
		tell(agent, HOSTS_READY, NULL, 0);
	agent->gate = gate[0];
	agent->send_at_ns = clock_now_ns() + SEND_EVERY_NS;
}

/* The first word is the command; its file is this host's matter. */
static void on_program(struct agent_record *agent, const char *texts, size_t size)
{
	size_t count = 0;

	if (agent->lever > 0 || !size || texts[size - 1])
		return;
	agent->words = memory_new(1, size);
	memcpy(agent->words, texts, size);
	if (chdir(agent->words)) {
		AUTO(text)
		char *sentence = text_format("cannot change to the directory %s: %s", agent->words,
					     strerror(errno));
		trouble(agent, sentence);
	}
	agent->arguments[count++] = (char *)(uintptr_t) "lever";
	for (char *word = agent->words + strlen(agent->words) + 1;
	     word < agent->words + size && count + 3 < WORDS_MOST; word += strlen(word) + 1) {
		agent->arguments[count++] = word;
		if (count != 2)
			continue;
		agent->arguments[count++] = (char *)(uintptr_t) "--output";
		agent->arguments[count++] = file_path(agent, "recording.lever");
	}
	start_lever(agent);
}

/* Its program waits to be started. */
static void watch_gate(struct agent_record *agent)
{
	char byte;

	if (agent->gate >= 0 && recv(agent->gate, &byte, 1, MSG_DONTWAIT) == 1)
		tell(agent, HOSTS_READY, NULL, 0);
}

static void open_gate(struct agent_record *agent)
{
	if (agent->gate < 0)
		return;
	send(agent->gate, "", 1, MSG_NOSIGNAL);
	close(agent->gate);
	agent->gate = -1;
}

/* SIGTERM ends the recording, and then the program. */
static void stop(struct agent_record *agent)
{
	if (agent->lever > 0 && !agent->has_ended && !agent->stopped_ns)
		kill(agent->lever, SIGTERM);
	agent->stopped_ns = agent->stopped_ns ? agent->stopped_ns : clock_now_ns();
}

static void watch_lever(struct agent_record *agent, uint64_t now)
{
	AUTO(text) char *path = file_path(agent, "recording.lever");

	if (agent->lever <= 0 || agent->has_ended)
		return;
	if (agent->stopped_ns && now - agent->stopped_ns > KILL_AFTER_NS)
		kill(agent->lever, SIGKILL);
	if (waitpid(agent->lever, &agent->status, WNOHANG) != agent->lever)
		return;
	agent->has_ended = true;
	struct hosts_ended ended = {.status = agent->status};
	if (!send_file(agent, path) || !WIFEXITED(agent->status) ||
	    (WEXITSTATUS(agent->status) != 0 && WEXITSTATUS(agent->status) != 3)) {
		AUTO(text)
		char *sentence = text_format("lever ended there with status %d",
					     WIFEXITED(agent->status) ? WEXITSTATUS(agent->status) :
									-WTERMSIG(agent->status));
		trouble(agent, sentence);
	}
	tell(agent, HOSTS_ENDED, &ended, sizeof(ended));
}

/* ---- the loop ---- */

/* Both clocks at one time: collect/hosts/peer_clock. */
static void answer_alive(struct agent_record *agent, const struct link_message *message)
{
	struct hosts_times times;

	if (message->size != sizeof(times))
		return;
	memcpy(&times, message->data, sizeof(times));
	times.answered_ns = clock_now_ns();
	tell(agent, HOSTS_ALIVE, &times, sizeof(times));
}

static void on_message(struct agent_record *agent, const struct link_message *message)
{
	agent->heard_ns = clock_now_ns();
	if (message->kind == HOSTS_ALIVE)
		answer_alive(agent, message);
	else if (message->kind == HOSTS_PROGRAM)
		on_program(agent, message->data, message->size);
	else if (message->kind == HOSTS_START)
		open_gate(agent);
	else if (message->kind == HOSTS_STOP)
		stop(agent);
	else if (message->kind == HOSTS_END)
		agent->is_over = true;
}

static void tell_alive(struct agent_record *agent, uint64_t now)
{
	struct hosts_report alive = {0};

	if (now - agent->told_ns < TELL_EVERY_NS)
		return;
	agent->told_ns = now;
	tell(agent, HOSTS_REPORT, &alive, sizeof(alive));
}

static void follow(struct agent_record *agent, int input)
{
	struct link_message message;

	while (!agent->is_over) {
		if (link_receive(agent->link, &message, POLL_MS, -1))
			on_message(agent, &message);
		uint64_t now = clock_now_ns();
		tell_alive(agent, now);
		watch_gate(agent);
		watch_lever(agent, now);
		send_so_far(agent, now);
		agent->is_over |= now - agent->heard_ns > GONE_NS || agent_input_has_ended(input);
	}
}

static void end(struct agent_record *agent)
{
	static const char *const names[] = {"recording.lever", "recording.lever-wal",
					    "recording.lever-shm", "copy.lever"};

	stop(agent);
	while (agent->lever > 0 && !agent->has_ended) {
		watch_lever(agent, clock_now_ns());
		poll(NULL, 0, POLL_MS);
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		AUTO(text) char *path = file_path(agent, names[i]);
		unlink(path);
	}
	rmdir(agent->folder);
}

int agent_record_run(const struct invitation *invitation, int input, struct error *error)
{
	struct agent_record *agent = memory_new(1, sizeof(*agent));
	int code = 0;

	agent->invitation = invitation;
	agent->gate = -1;
	strcpy(agent->folder, "/tmp/lever-agent-XXXXXX");
	if (!mkdtemp(agent->folder))
		code = error_set(error, errno, "cannot make a folder in /tmp: %s", strerror(errno));
	code = code ? code :
		      link_connect(invitation->endpoint, &invitation->keys, invitation->coordinator,
				   invitation->index - 1, &agent->link, error);
	if (!code) {
		agent->heard_ns = clock_now_ns();
		agent_say_hello(agent->link);
		follow(agent, input);
		end(agent);
	}
	if (agent->gate >= 0)
		close(agent->gate);
	link_close(agent->link);
	free(agent->arguments[3]);
	free(agent->words);
	free(agent);
	return code;
}
