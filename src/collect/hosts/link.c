/* SPDX-License-Identifier: BSD-2-Clause */
/* link - encrypted messages between the coordinator and its agents, by ZeroMQ. */
#include "collect/hosts/link.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

#define QUEUED_MOST 100000 /* messages that the other side has not taken */

struct link {
	void *context, *socket;
	void *gate; /* of the coordinator: who may join (ZAP, RFC 27 of ZeroMQ) */
	const struct link_keys *agents;
	unsigned agent_count;
	char endpoint[128];
	zmq_msg_t message;
	bool has_message;
};

int link_keys_make(struct link_keys *keys, struct error *error)
{
	if (zmq_curve_keypair(keys->open, keys->secret))
		return error_set(error, errno, "cannot make keys: %s; libzmq needs libsodium",
				 zmq_strerror(errno));
	return 0;
}

static int refuse(struct error *error, const char *what)
{
	return error_set(error, errno ? errno : EIO, "%s: %s", what, zmq_strerror(errno));
}

static struct link *link_new(int type)
{
	struct link *link = memory_new(1, sizeof(*link));
	int none = 0, queued = QUEUED_MOST;

	link->context = zmq_ctx_new();
	link->socket = zmq_socket(link->context, type);
	zmq_setsockopt(link->socket, ZMQ_LINGER, &none, sizeof(none));
	zmq_setsockopt(link->socket, ZMQ_SNDHWM, &queued, sizeof(queued));
	zmq_setsockopt(link->socket, ZMQ_RCVHWM, &queued, sizeof(queued));
	return link;
}

/* Addresses of IPv6 stand in brackets. */
static void set_family(struct link *link, const char *endpoint)
{
	int is_six = strchr(endpoint, '[') != NULL;

	zmq_setsockopt(link->socket, ZMQ_IPV6, &is_six, sizeof(is_six));
}

static void set_keys(struct link *link, const struct link_keys *own)
{
	zmq_setsockopt(link->socket, ZMQ_CURVE_PUBLICKEY, own->open, LINK_KEY_BYTES);
	zmq_setsockopt(link->socket, ZMQ_CURVE_SECRETKEY, own->secret, LINK_KEY_BYTES);
}

int link_listen(const char *address, const struct link_keys *own, const struct link_keys *agents,
		unsigned count, struct link **result, struct error *error)
{
	struct link *link = *result = link_new(ZMQ_ROUTER);
	const char *format = strchr(address, ':') ? "tcp://[%s]:*" : "tcp://%s:*";
	AUTO(text) char *endpoint = text_format(format, address);
	size_t size = sizeof(link->endpoint);
	int is_server = 1;

	link->agents = agents;
	link->agent_count = count;
	link->gate = zmq_socket(link->context, ZMQ_REP);
	if (zmq_bind(link->gate, "inproc://zeromq.zap.01"))
		return refuse(error, "cannot check the keys of agents");
	zmq_setsockopt(link->socket, ZMQ_CURVE_SERVER, &is_server, sizeof(is_server));
	zmq_setsockopt(link->socket, ZMQ_ZAP_DOMAIN, "lever", 5);
	/* An agent that comes back takes its place again. */
	zmq_setsockopt(link->socket, ZMQ_ROUTER_HANDOVER, &is_server, sizeof(is_server));
	set_keys(link, own);
	set_family(link, endpoint);
	if (zmq_bind(link->socket, endpoint) ||
	    zmq_getsockopt(link->socket, ZMQ_LAST_ENDPOINT, link->endpoint, &size)) {
		AUTO(text) char *what = text_format("cannot listen on %s", address);
		return refuse(error, what);
	}
	return 0;
}

const char *link_endpoint(const struct link *link)
{
	return link->endpoint;
}

int link_connect(const char *endpoint, const struct link_keys *own, const char *coordinator,
		 unsigned index, struct link **result, struct error *error)
{
	struct link *link = *result = link_new(ZMQ_DEALER);
	char name[16];
	int length = snprintf(name, sizeof(name), "%u", index);

	zmq_setsockopt(link->socket, ZMQ_CURVE_SERVERKEY, coordinator, LINK_KEY_BYTES);
	zmq_setsockopt(link->socket, ZMQ_ROUTING_ID, name, (size_t)length);
	set_keys(link, own);
	set_family(link, endpoint);
	if (zmq_connect(link->socket, endpoint)) {
		AUTO(text) char *what = text_format("cannot connect to %s", endpoint);
		return refuse(error, what);
	}
	return 0;
}

/* ---- who may join ---- */

/* Of a request to the gate: version, id, domain, address, identity, mechanism, key. */
#define GATE_PARTS 7

static bool is_known(const struct link *link, const unsigned char *key, size_t size)
{
	char text[LINK_KEY_BYTES];

	if (size != 32 || !zmq_z85_encode(text, key, size))
		return false;
	for (unsigned i = 0; i < link->agent_count; i++)
		if (!strcmp(text, link->agents[i].open))
			return true;
	return false;
}

static void gate_answer(struct link *link)
{
	unsigned char parts[GATE_PARTS][256];
	int sizes[GATE_PARTS] = {0}, count = 0, more = 1;
	size_t more_size = sizeof(more);

	while (more) {
		unsigned char surplus[256];
		unsigned char *part = count < GATE_PARTS ? parts[count] : surplus;
		int size = zmq_recv(link->gate, part, sizeof(surplus), ZMQ_DONTWAIT);
		if (size < 0)
			return;
		if (count < GATE_PARTS)
			sizes[count] = size < 256 ? size : 0;
		count++;
		zmq_getsockopt(link->gate, ZMQ_RCVMORE, &more, &more_size);
	}
	bool may = count == GATE_PARTS && sizes[5] == 5 && !memcmp(parts[5], "CURVE", 5) &&
		   is_known(link, parts[6], (size_t)sizes[6]);
	zmq_send(link->gate, "1.0", 3, ZMQ_SNDMORE);
	zmq_send(link->gate, parts[1], (size_t)sizes[1], ZMQ_SNDMORE);
	zmq_send(link->gate, may ? "200" : "400", 3, ZMQ_SNDMORE);
	zmq_send(link->gate, may ? "OK" : "unknown", may ? 2 : 7, ZMQ_SNDMORE);
	zmq_send(link->gate, "", 0, ZMQ_SNDMORE);
	zmq_send(link->gate, "", 0, 0);
}

/* ---- messages ---- */

static void append(char **at, const void *data, size_t size)
{
	if (size)
		memcpy(*at, data, size);
	*at += size;
}

void link_send(struct link *link, unsigned peer, const struct link_content *content)
{
	char name[16];
	int length = snprintf(name, sizeof(name), "%u", peer);
	zmq_msg_t message;

	if (link->gate &&
	    zmq_send(link->socket, name, (size_t)length, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0)
		return;
	zmq_msg_init_size(&message, sizeof(content->kind) + content->size + content->more_size);
	char *at = zmq_msg_data(&message);
	append(&at, &content->kind, sizeof(content->kind));
	append(&at, content->data, content->size);
	append(&at, content->more, content->more_size);
	if (zmq_msg_send(&message, link->socket, ZMQ_DONTWAIT) < 0)
		zmq_msg_close(&message);
}

/* Skips what follows of a message in several parts. */
static bool is_last_part(struct link *link)
{
	return !zmq_msg_more(&link->message);
}

static bool take_message(struct link *link, struct link_message *message)
{
	char name[16] = "";

	message->peer = 0;
	if (link->gate) {
		int length = zmq_recv(link->socket, name, sizeof(name) - 1, ZMQ_DONTWAIT);
		if (length < 0)
			return false;
		name[length < 15 ? length : 15] = 0;
		message->peer = (unsigned)strtoul(name, NULL, 10);
	}
	if (zmq_msg_recv(&link->message, link->socket, ZMQ_DONTWAIT) < 0)
		return false;
	bool is_whole = is_last_part(link);
	while (!is_last_part(link) && zmq_msg_recv(&link->message, link->socket, ZMQ_DONTWAIT) >= 0)
		continue;
	size_t size = zmq_msg_size(&link->message);
	if (!is_whole || size < sizeof(message->kind) ||
	    (link->gate && message->peer >= link->agent_count))
		return false;
	memcpy(&message->kind, zmq_msg_data(&link->message), sizeof(message->kind));
	message->data = (char *)zmq_msg_data(&link->message) + sizeof(message->kind);
	message->size = size - sizeof(message->kind);
	return true;
}

bool link_receive(struct link *link, struct link_message *message, int timeout_ms, int also)
{
	zmq_pollitem_t items[3] = {{.socket = link->socket, .events = ZMQ_POLLIN}};
	int count = 1;

	if (link->has_message)
		zmq_msg_close(&link->message);
	zmq_msg_init(&link->message);
	link->has_message = true;
	if (also >= 0)
		items[count++] = (zmq_pollitem_t){.fd = also, .events = ZMQ_POLLIN};
	if (link->gate)
		items[count++] = (zmq_pollitem_t){.socket = link->gate, .events = ZMQ_POLLIN};
	if (zmq_poll(items, count, timeout_ms) <= 0)
		return false;
	if (link->gate && items[count - 1].revents)
		gate_answer(link);
	return items[0].revents && take_message(link, message);
}

void link_close(struct link *link)
{
	if (!link)
		return;
	if (link->has_message)
		zmq_msg_close(&link->message);
	if (link->gate)
		zmq_close(link->gate);
	zmq_close(link->socket);
	zmq_ctx_term(link->context);
	free(link);
}
