/* SPDX-License-Identifier: BSD-2-Clause */
/* group - the agents of a run. */
#include "collect/hosts/group.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "collect/hosts/addresses.h"
#include "collect/hosts/invitation.h"
#include "collect/hosts/join.h"
#include "collect/hosts/launch.h"
#include "collect/hosts/link.h"
#include "collect/hosts/peer_clock.h"
#include "collect/hosts/peer_end.h"
#include "collect/hosts/peer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#define POLL_MS 5
#define START_NS 20000000000ull   /* until an agent has said hello */
#define READY_NS 20000000000ull   /* until its program waits to be started */
#define END_NS 4000000000ull      /* until it has ended */
#define APART_MOST_NS 60000000000 /* of clocks, without a word */
#define SAMPLES_MOST 1000000
#define ALIVE_EVERY_NS 100000000ull

struct peer {
	struct group_peer shown, now; /* shown: a copy for the caller */
	char name[128];
	struct launched launched;
	bool has_said_hello;
	uint64_t heard_ns;
	struct peer_file file;
	struct peer_clock clock;
	struct peer_end end;
};

struct outgoing {
	unsigned peer;
	struct link_content content;
	void *data; /* of the content */
};

struct group {
	const struct collector_group *options;
	struct group_hooks hooks;
	struct peer *peers;
	unsigned count;
	struct link *link;
	struct link_keys own, *keys; /* keys: of the agents */
	struct addresses addresses;
	uint64_t tag;
	pthread_t thread;
	bool has_thread;
	int wake[2];
	int joiners; /* processes of the job on this host come here; -1: there is none */
	size_t refused;

	pthread_mutex_t lock; /* of all below, and of peers */
	pthread_cond_t changed;
	bool is_over;
	struct hosts_state state;
	bool has_state;
	uint64_t state_sent_ns, alive_sent_ns, question;
	ARRAY(struct outgoing) queue;
	ARRAY(struct wire_sample) samples;
	ARRAY(struct hosts_mapped) mapped;
	char *troubles;
};

static void add_trouble(struct group *group, const struct peer *peer, const char *sentence)
{
	text_add_line(&group->troubles, text_format("host %s: %s", peer->name, sentence));
}

/* ---- the group's thread ---- */

static void take_answer(struct peer *peer, const char *data, size_t size)
{
	struct hosts_answer answer;

	memcpy(&answer, data, sizeof(answer));
	if (answer.count > WIRE_POINTS_MOST ||
	    size != sizeof(answer) + answer.count * sizeof(struct hosts_visits))
		return;
	peer->now.answer = answer;
	memcpy(peer->now.visits, data + sizeof(answer), size - sizeof(answer));
}

static void take_samples(struct group *group, const char *data, size_t size)
{
	for (size_t at = 0;
	     at + sizeof(struct wire_sample) <= size && group->samples.count < SAMPLES_MOST;
	     at += sizeof(struct wire_sample))
		memcpy(array_add(&group->samples), data + at, sizeof(struct wire_sample));
}

static void take_mapped(struct group *group, const char *data)
{
	struct hosts_mapped mapped;

	memcpy(&mapped, data, sizeof(mapped));
	mapped.path[HOSTS_PATH_BYTES - 1] = mapped.build_id[HOSTS_BUILD_ID_BYTES - 1] = 0;
	for (size_t i = 0; i < group->mapped.count; i++)
		if (!memcmp(&group->mapped.items[i], &mapped, sizeof(mapped)))
			return;
	if (group->mapped.count < WIRE_OBJECTS_MOST)
		*array_add(&group->mapped) = mapped;
}

static void take_hello(struct group *group, struct peer *peer, const char *data)
{
	struct hosts_hello hello;
	struct timespec wall;

	memcpy(&hello, data, sizeof(hello));
	clock_gettime(CLOCK_REALTIME, &wall);
	double apart =
		((double)hello.wall_ns - ((double)wall.tv_sec * 1e9 + (double)wall.tv_nsec)) / 1e9;
	peer->has_said_hello = true;
	if (apart > APART_MOST_NS / 1e9 || apart < -APART_MOST_NS / 1e9) {
		AUTO(text)
		char *sentence =
			text_format("its clock is %.0f s %s; results do not need it, but "
				    "times in logs do",
				    apart > 0 ? apart : -apart, apart > 0 ? "ahead" : "behind");
		add_trouble(group, peer, sentence);
	}
}

static void take_times(struct peer *peer, const char *data, uint64_t now)
{
	struct hosts_times times;

	memcpy(&times, data, sizeof(times));
	peer_clock_add(&peer->clock, &times, now);
}

static void on_message(struct group *group, const struct link_message *message)
{
	struct peer *peer = &group->peers[message->peer];
	const char *data = message->data;
	size_t size = message->size;
	uint64_t delay;

	peer->heard_ns = clock_now_ns();
	if (message->kind == HOSTS_HELLO && size == sizeof(struct hosts_hello))
		take_hello(group, peer, data);
	else if (message->kind == HOSTS_ALIVE && size == sizeof(struct hosts_times))
		take_times(peer, data, peer->heard_ns);
	else if (message->kind == HOSTS_READY)
		peer->now.is_ready = true;
	else if (message->kind == HOSTS_REPORT && size == sizeof(struct hosts_report)) {
		memcpy(&delay, data, sizeof(delay));
		group->hooks.merge(group->hooks.context, delay);
	} else if (message->kind == HOSTS_ANSWER && size >= sizeof(struct hosts_answer)) {
		take_answer(peer, data, size);
		group->hooks.merge(group->hooks.context, peer->now.answer.delay_ns);
	} else if (message->kind == HOSTS_SAMPLES)
		take_samples(group, data, size);
	else if (message->kind == HOSTS_MAPPED && size == sizeof(struct hosts_mapped))
		take_mapped(group, data);
	else if (message->kind == HOSTS_TROUBLE && size && !data[size - 1])
		add_trouble(group, peer, data);
	else if (message->kind == HOSTS_FILE && size >= sizeof(struct hosts_file))
		peer_file_take(&peer->file, data, size);
	else if (message->kind == HOSTS_ENDED &&
		 peer_end_take(&peer->end, data, size, peer->heard_ns))
		peer->now.has_ended = true;
}

static void send_queue(struct group *group)
{
	for (size_t i = 0; i < group->queue.count; i++) {
		struct outgoing *out = &group->queue.items[i];
		for (unsigned peer = 0; peer < group->count; peer++)
			if (out->peer == GROUP_ALL || out->peer == peer)
				link_send(group->link, peer, &out->content);
		free(out->data);
	}
	group->queue.count = 0;
}

static void send_state(struct group *group, uint64_t now)
{
	if (!group->has_state || now - group->state_sent_ns < HOSTS_STATE_EVERY_NS ||
	    !group->hooks.is_alive(group->hooks.context))
		return;
	group->state_sent_ns = now;
	group->state.delay_ns = group->hooks.delay(group->hooks.context);
	const struct link_content content = {.kind = HOSTS_STATE,
					     .data = &group->state,
					     .size = sizeof(group->state)};
	for (unsigned peer = 0; peer < group->count; peer++)
		link_send(group->link, peer, &content);
}

/* Agents of a recording get no state. Their answers tell that they are there. */
static void tell_alive(struct group *group, uint64_t now)
{
	if (!group->options->is_recording || now - group->alive_sent_ns < ALIVE_EVERY_NS)
		return;
	group->alive_sent_ns = now;
	for (unsigned peer = 0; peer < group->count; peer++) {
		struct hosts_times times = {.sent_ns = clock_now_ns()};
		link_send(group->link, peer,
			  &(struct link_content){.kind = HOSTS_ALIVE,
						 .data = &times,
						 .size = sizeof(times)});
	}
}

static void find_lost(struct group *group, uint64_t now)
{
	for (unsigned i = 0; i < group->count; i++) {
		struct peer *peer = &group->peers[i];
		bool tells = !group->is_over && !group->options->is_recording;
		AUTO(text) char *failure = tells ? peer_end_failure(&peer->end, now) : NULL;
		if (failure)
			add_trouble(group, peer, failure);
		if (peer->now.is_lost || !peer->has_said_hello || group->is_over ||
		    (int64_t)(now - peer->heard_ns) < (int64_t)HOSTS_LOST_NS)
			continue;
		peer->now.is_lost = true;
		add_trouble(group, peer,
			    "lost: it sent nothing for 2 s; from then on the results are those "
			    "of the other hosts");
	}
}

static void take_in_processes(struct group *group)
{
	const struct join_host host = {.name = "coordinator",
				       .add = group->hooks.join,
				       .context = group->hooks.context};
	size_t before = group->refused;

	if (group->joiners < 0)
		return;
	join_serve(group->joiners, &host, &group->refused);
	if (!before && group->refused)
		text_add_line(&group->troubles,
			      text_copy("processes of the job on this host could not be followed; "
					"they are missing in the results"));
}

static void *group_thread(void *context)
{
	struct group *group = context;
	struct link_message message;
	bool is_over = false;
	char bytes[64];

	while (!is_over) {
		bool has_message = link_receive(group->link, &message, POLL_MS, group->wake[0]);
		while (read(group->wake[0], bytes, sizeof(bytes)) > 0)
			continue;
		pthread_mutex_lock(&group->lock);
		uint64_t now = clock_now_ns();
		if (has_message)
			on_message(group, &message);
		send_queue(group);
		send_state(group, now);
		tell_alive(group, now);
		find_lost(group, now);
		take_in_processes(group);
		is_over = group->is_over;
		pthread_cond_broadcast(&group->changed);
		pthread_mutex_unlock(&group->lock);
	}
	return NULL;
}

/* ---- what the caller's thread asks ---- */

static void enqueue(struct group *group, unsigned peer, const struct link_content *content)
{
	struct outgoing *out = array_add(&group->queue);
	char *data = memory_new(1, content->size + content->more_size + 1);

	if (content->size)
		memcpy(data, content->data, content->size);
	if (content->more_size)
		memcpy(data + content->size, content->more, content->more_size);
	out->peer = peer;
	out->data = data;
	out->content = (struct link_content){.kind = content->kind,
					     .data = data,
					     .size = content->size + content->more_size};
}

static void wake_thread(struct group *group)
{
	ssize_t written = write(group->wake[1], "", 1);
	(void)written; /* a full pipe wakes, too */
}

void group_send(struct group *group, unsigned peer, const struct link_content *content)
{
	pthread_mutex_lock(&group->lock);
	enqueue(group, peer, content);
	pthread_mutex_unlock(&group->lock);
	wake_thread(group);
}

/* Texts one after the other, each with its 0. */
void group_send_program(struct group *group, char *const *arguments)
{
	ARRAY(char) texts = {0};
	AUTO(text) char *directory = getcwd(NULL, 0);

	for (const char *at = directory ? directory : "/";; at++) {
		*array_add(&texts) = *at;
		if (!*at)
			break;
	}
	for (char *const *word = arguments; *word; word++) {
		for (const char *at = *word; *at; at++)
			*array_add(&texts) = *at;
		*array_add(&texts) = 0;
	}
	group_send(group, GROUP_ALL,
		   &(struct link_content){.kind = HOSTS_PROGRAM,
					  .data = texts.items,
					  .size = texts.count});
	array_free(&texts);
}

void group_set_state(struct group *group, const struct hosts_state *state)
{
	pthread_mutex_lock(&group->lock);
	group->state = *state;
	group->has_state = true;
	group->state_sent_ns = clock_now_ns();
	enqueue(group, GROUP_ALL,
		&(struct link_content){.kind = HOSTS_STATE,
				       .data = &group->state,
				       .size = sizeof(group->state)});
	pthread_mutex_unlock(&group->lock);
	wake_thread(group);
}

/* With the lock held: waits until `has_come` of all that are not lost. */
static bool await(struct group *group, bool (*has_come)(const struct group *, const struct peer *),
		  uint64_t timeout_ns)
{
	uint64_t end = clock_now_ns() + timeout_ns;

	for (;;) {
		bool all = true;
		for (unsigned i = 0; i < group->count; i++)
			all &= group->peers[i].now.is_lost || has_come(group, &group->peers[i]);
		if (all || clock_now_ns() >= end)
			return all;
		pthread_cond_wait(&group->changed, &group->lock);
	}
}

static bool has_answered(const struct group *group, const struct peer *peer)
{
	return peer->now.answer.number == group->question;
}

/* Its launcher's exit code, or below 0 while that runs. It is not reaped. */
static int ended_with(const struct peer *peer)
{
	siginfo_t ended = {0};

	if (waitid(P_PID, (id_t)peer->launched.pid, &ended, WEXITED | WNOHANG | WNOWAIT) ||
	    !ended.si_pid)
		return -1;
	return ended.si_status;
}

static bool has_said_hello(const struct group *group, const struct peer *peer)
{
	(void)group;
	return peer->has_said_hello || ended_with(peer) >= 0;
}

/* A recording that could not begin on a host is told in the end. */
static bool is_ready(const struct group *group, const struct peer *peer)
{
	return peer->now.is_ready || (group->options->is_recording && peer->now.has_ended);
}

static void show(struct group *group)
{
	for (unsigned i = 0; i < group->count; i++)
		group->peers[i].shown = group->peers[i].now;
}

static void put_question(struct group *group)
{
	struct hosts_query query = {.number = ++group->question};

	enqueue(group, GROUP_ALL,
		&(struct link_content){.kind = HOSTS_QUERY, .data = &query, .size = sizeof(query)});
	wake_thread(group);
}

bool group_ask(struct group *group, uint64_t timeout_ns)
{
	pthread_mutex_lock(&group->lock);
	put_question(group);
	bool all = await(group, has_answered, timeout_ns);
	show(group);
	pthread_mutex_unlock(&group->lock);
	return all;
}

void group_ask_later(struct group *group)
{
	pthread_mutex_lock(&group->lock);
	show(group);
	put_question(group);
	pthread_mutex_unlock(&group->lock);
}

int group_await_ready(struct group *group, struct error *error)
{
	pthread_mutex_lock(&group->lock);
	bool all = await(group, is_ready, READY_NS);
	AUTO(text) char *troubles = text_copy(group->troubles);
	show(group);
	pthread_mutex_unlock(&group->lock);
	return all ? 0 :
		     error_set(error, -ETIMEDOUT,
			       "the program could not be started on all hosts: %s",
			       troubles ? troubles : "an agent does not answer");
}

static bool has_ended(const struct group *group, const struct peer *peer)
{
	(void)group;
	return peer->now.has_ended;
}

bool group_await_files(struct group *group, uint64_t timeout_ns)
{
	pthread_mutex_lock(&group->lock);
	enqueue(group, GROUP_ALL, &(struct link_content){.kind = HOSTS_STOP});
	wake_thread(group);
	bool all = await(group, has_ended, timeout_ns);
	show(group);
	pthread_mutex_unlock(&group->lock);
	return all;
}

const void *group_file(struct group *group, unsigned index, size_t *size)
{
	pthread_mutex_lock(&group->lock);
	const struct peer_file *file = &group->peers[index].file;
	const void *whole = file->whole;
	*size = file->size;
	pthread_mutex_unlock(&group->lock);
	return whole;
}

const struct peer_clock *group_clock(const struct group *group, unsigned index)
{
	return &group->peers[index].clock;
}

struct wire_sample *group_take_samples(struct group *group, size_t *count)
{
	pthread_mutex_lock(&group->lock);
	struct wire_sample *samples = group->samples.items;
	*count = group->samples.count;
	group->samples.items = NULL;
	group->samples.count = group->samples.capacity = 0;
	pthread_mutex_unlock(&group->lock);
	return samples;
}

bool group_mapped(struct group *group, size_t index, struct hosts_mapped *mapped)
{
	pthread_mutex_lock(&group->lock);
	bool has = index < group->mapped.count;
	if (has)
		*mapped = group->mapped.items[index];
	pthread_mutex_unlock(&group->lock);
	return has;
}

char *group_troubles(struct group *group)
{
	pthread_mutex_lock(&group->lock);
	char *troubles = text_copy(group->troubles);
	pthread_mutex_unlock(&group->lock);
	return troubles;
}

unsigned group_count(const struct group *group)
{
	return group->count;
}

const struct group_peer *group_peer(struct group *group, unsigned index)
{
	return &group->peers[index].shown;
}

struct collector_hosts group_hosts(const struct group *group)
{
	return (struct collector_hosts){.addresses = group->addresses.others,
					.count = group->addresses.first[group->count],
					.tag = group->tag};
}

/* ---- the start ---- */

static int read_names(struct group *group, struct error *error)
{
	int code = 0;

	for (unsigned i = 0; i < group->count && !code; i++) {
		struct peer *peer = &group->peers[i];
		peer->launched = (struct launched){.pid = -1, .input = -1};
		peer->now.name = peer->shown.name = peer->name;
		code = addresses_add(&group->addresses, group->options->names[i], peer->name,
				     sizeof(peer->name), error);
	}
	return code ? code : addresses_find_own(&group->addresses, error);
}

static int make_keys(struct group *group, struct error *error)
{
	int code = link_keys_make(&group->own, error);

	group->keys = memory_new(group->count, sizeof(*group->keys));
	for (unsigned i = 0; i < group->count && !code; i++)
		code = link_keys_make(&group->keys[i], error);
	if (!code && getrandom(&group->tag, sizeof(group->tag), 0) != sizeof(group->tag))
		return error_set(error, errno, "cannot draw a key: %s", strerror(errno));
	return code;
}

static int invite(struct group *group, unsigned index, struct error *error)
{
	struct peer *peer = &group->peers[index];
	struct invitation invitation = {.index = index + 1,
					.keys = group->keys[index],
					.tag = group->tag};
	const struct collector_group *options = group->options;

	strcpy(invitation.verb, options->is_recording ? "record" : "run");
	strcpy(invitation.name, peer->name);
	strcpy(invitation.endpoint, link_endpoint(group->link));
	strcpy(invitation.coordinator, group->own.open);
	invitation.address_count = addresses_for(&group->addresses, index, invitation.addresses);
	int code = launch_start(options->launch, peer->name, options->executable, &peer->launched,
				error);
	if (code)
		return code;
	AUTO(text) char *text = invitation_text(&invitation, options->version);
	code = launch_write(&peer->launched, text, error);
	return code ? error_add_place(error, "%s", peer->name) : 0;
}

/* Signals are for the thread that has called. */
static int start_thread(struct group *group, struct error *error)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int code = pthread_create(&group->thread, NULL, group_thread, group);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	group->has_thread = !code;
	return code ? error_set(error, -code, "cannot start a thread: %s", strerror(code)) : 0;
}

static int await_all(struct group *group, struct error *error)
{
	int code = 0;

	pthread_mutex_lock(&group->lock);
	await(group, has_said_hello, START_NS);
	for (unsigned i = 0; i < group->count && !code; i++) {
		struct peer *peer = &group->peers[i];
		if (peer->has_said_hello)
			continue;
		int status = ended_with(peer);
		code = status >= 0 ?
			       error_set(error, -ECONNREFUSED,
					 "the agent on host %s ended at the start, exit code %d%s",
					 peer->name, status, launch_remedy(status)) :
			       error_set(error, -ETIMEDOUT,
					 "no word from the agent on host %s in 20 s; can it reach "
					 "%s?",
					 peer->name, link_endpoint(group->link));
	}
	pthread_mutex_unlock(&group->lock);
	return code;
}

int group_open(const struct collector_group *options, const struct group_hooks *hooks,
	       struct group **result, struct error *error)
{
	struct group *group = *result = memory_new(1, sizeof(*group));
	AUTO(text) char *address = NULL;

	group->options = options;
	group->joiners = -1;
	group->hooks = *hooks;
	group->count = (unsigned)options->count;
	group->peers = memory_new(options->count, sizeof(*group->peers));
	pthread_mutex_init(&group->lock, NULL);
	pthread_cond_init(&group->changed, NULL);
	if (options->count > HOSTS_MOST)
		return error_set(error, -E2BIG, "more than %d hosts", HOSTS_MOST);
	int code = pipe2(group->wake, O_CLOEXEC | O_NONBLOCK) ? -errno : 0;
	code = code ? code : read_names(group, error);
	code = code ? code : make_keys(group, error);
	address = address_text(&group->addresses.own[0]);
	code = code ? code :
		      link_listen(address, &group->own, group->keys, group->count, &group->link,
				  error);
	if (!code && options->job) {
		group->joiners = join_listen(options->job, error);
		code = group->joiners < 0 ? group->joiners : 0;
	}
	for (unsigned i = 0; i < group->count && !code; i++)
		code = invite(group, i, error);
	code = code ? code : start_thread(group, error);
	return code ? code : await_all(group, error);
}

/* ---- the end ---- */

/* Its launcher ends with the agent; one that does not is killed. */
static void reap(struct peer *peer, uint64_t end)
{
	if (peer->launched.input >= 0)
		close(peer->launched.input);
	while (peer->launched.pid > 0 && !waitpid(peer->launched.pid, NULL, WNOHANG)) {
		if (clock_now_ns() > end)
			kill(peer->launched.pid, SIGKILL);
		usleep(2000);
	}
}

static void end_agents(struct group *group)
{
	uint64_t end = clock_now_ns() + END_NS;

	if (group->has_thread)
		group_send(group, GROUP_ALL, &(struct link_content){.kind = HOSTS_END});
	for (unsigned i = 0; i < group->count; i++)
		reap(&group->peers[i], end);
}

void group_close(struct group *group)
{
	if (!group)
		return;
	pthread_mutex_lock(&group->lock);
	group->has_state = false;
	pthread_mutex_unlock(&group->lock);
	end_agents(group);
	pthread_mutex_lock(&group->lock);
	group->is_over = true;
	pthread_mutex_unlock(&group->lock);
	if (group->has_thread) {
		wake_thread(group);
		pthread_join(group->thread, NULL);
	}
	link_close(group->link);
	for (size_t i = 0; i < group->queue.count; i++)
		free(group->queue.items[i].data);
	array_free(&group->queue);
	if (group->joiners >= 0)
		close(group->joiners);
	array_free(&group->samples);
	array_free(&group->mapped);
	close(group->wake[0]);
	close(group->wake[1]);
	for (unsigned i = 0; i < group->count; i++) {
		peer_file_free(&group->peers[i].file);
		array_free(&group->peers[i].clock.bounds);
	}
	free(group->troubles);
	free(group->keys);
	free(group->peers);
	free(group);
}
