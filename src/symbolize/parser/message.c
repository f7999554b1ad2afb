/* SPDX-License-Identifier: BSD-2-Clause */
/* message - all numbers take 8 bytes; texts and arrays are filled up to a multiple of 8. */
#include "symbolize/parser/message.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define STEP_MS 100
#define STEP_NS (STEP_MS * 1000000ull)

void message_empty(struct message *message)
{
	message->count = message->at = 0;
	message->is_short = false;
}

void message_free(struct message *message)
{
	free(message->bytes);
	*message = (struct message){0};
}

/* Uninitialized bytes at the end. */
static uint8_t *grow(struct message *message, size_t size)
{
	size_t needed = message->count + size;

	if (needed > message->capacity || !message->bytes) {
		message->capacity = needed < 2048 ? 4096 : 2 * needed;
		message->bytes = memory_resize(message->bytes, message->capacity, 1);
	}
	uint8_t *at = message->bytes + message->count;
	message->count = needed;
	return at;
}

static size_t filled_up(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

void message_add(struct message *message, uint64_t number)
{
	memcpy(grow(message, sizeof(number)), &number, sizeof(number));
}

void message_add_bytes(struct message *message, const void *bytes, size_t size)
{
	message_add(message, size);
	uint8_t *at = grow(message, filled_up(size));
	if (size)
		memcpy(at, bytes, size);
	memset(at + size, 0, filled_up(size) - size);
}

/* Its length with the 0 at its end; 0: NULL. */
void message_add_text(struct message *message, const char *text)
{
	message_add_bytes(message, text, text ? strlen(text) + 1 : 0);
}

void message_append(struct message *message, const struct message *other)
{
	if (other->count)
		memcpy(grow(message, other->count), other->bytes, other->count);
}

static const uint8_t *take_bytes(struct message *message, size_t size)
{
	if (message->is_short || size > message->count - message->at) {
		message->is_short = true;
		return NULL;
	}
	const uint8_t *at = message->bytes + message->at;
	message->at += size;
	return at;
}

uint64_t message_take(struct message *message)
{
	const uint8_t *at = take_bytes(message, sizeof(uint64_t));
	uint64_t number = 0;

	if (at)
		memcpy(&number, at, sizeof(number));
	return number;
}

const void *message_take_items(struct message *message, size_t size, size_t *count)
{
	uint64_t bytes = message_take(message);
	const void *at = bytes <= message->count ? take_bytes(message, filled_up(bytes)) : NULL;

	message->is_short |= !at || bytes % size;
	*count = message->is_short ? 0 : bytes / size;
	return *count ? at : NULL;
}

const char *message_take_text(struct message *message)
{
	size_t length;
	const char *text = message_take_items(message, 1, &length);

	if (!length || !text[length - 1])
		return length ? text : NULL;
	message->is_short = true;
	return NULL;
}

void message_patience_spend(struct message_patience *patience, uint64_t spent_ns)
{
	if (patience)
		patience->left_ns -= spent_ns < patience->left_ns ? spent_ns : patience->left_ns;
}

/* A step counts as one at most: while this process is frozen, the other one may be, too. */
static int wait_for(int socket, short events, struct message_patience *patience)
{
	struct pollfd polled = {.fd = socket, .events = events};

	for (uint64_t silent_ns = 0;;) {
		uint64_t begin_ns = clock_now_ns();
		int ready = poll(&polled, 1, STEP_MS);
		uint64_t spent_ns = clock_now_ns() - begin_ns;
		if (spent_ns > STEP_NS)
			spent_ns = STEP_NS;
		silent_ns += spent_ns;
		message_patience_spend(patience, spent_ns);
		if (patience && !patience->left_ns)
			return -ETIME;
		if (ready > 0)
			return 0;
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (patience && silent_ns >= patience->silence_ns)
			return -ETIME;
	}
}

/* A descriptor travels with the first byte. */
static ssize_t send_parts(int socket, struct iovec parts[2], int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr aligned;
	} control = {0};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

	if (fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		struct cmsghdr *head = CMSG_FIRSTHDR(&message);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void drop_sent(struct iovec parts[2], size_t sent)
{
	for (int i = 0; i < 2; i++) {
		size_t of_part = sent < parts[i].iov_len ? sent : parts[i].iov_len;
		if (!of_part)
			continue;
		parts[i].iov_base = (char *)parts[i].iov_base + of_part;
		parts[i].iov_len -= of_part;
		sent -= of_part;
	}
}

int message_send(int socket, enum message_kind kind, const struct message *message, int fd,
		 struct message_patience *patience)
{
	struct message_header header = {.bytes = message->count, .kind = kind};
	struct iovec parts[] = {{.iov_base = &header, .iov_len = sizeof(header)},
				{.iov_base = message->bytes, .iov_len = message->count}};

	while (parts[0].iov_len + parts[1].iov_len) {
		ssize_t sent = send_parts(socket, parts, fd);
		int code = sent >= 0 || errno == EINTR ? 0 :
			   errno == EAGAIN             ? wait_for(socket, POLLOUT, patience) :
							 -EPIPE;
		if (code)
			return code;
		if (sent <= 0)
			continue;
		drop_sent(parts, (size_t)sent);
		fd = -1;
	}
	return 0;
}

static void keep_descriptor(struct msghdr *message, int *fd)
{
	for (struct cmsghdr *head = CMSG_FIRSTHDR(message); head;
	     head = CMSG_NXTHDR(message, head)) {
		int received;
		if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
			continue;
		memcpy(&received, CMSG_DATA(head), sizeof(received));
		if (*fd >= 0)
			close(*fd);
		*fd = received;
	}
}

/* `fd`: NULL: descriptors are refused by the kernel, as there is no room for them. */
static int receive_all(int socket, void *bytes, size_t size, int *fd,
		       struct message_patience *patience)
{
	char *at = bytes;

	while (size) {
		union {
			char bytes[CMSG_SPACE(sizeof(int))];
			struct cmsghdr aligned;
		} control = {0};
		struct iovec part = {.iov_base = at, .iov_len = size};
		struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
		if (fd) {
			message.msg_control = &control;
			message.msg_controllen = sizeof(control);
		}
		ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
		if (received < 0 && (errno == EINTR || errno == EAGAIN)) {
			int code = wait_for(socket, POLLIN, patience);
			if (code)
				return code;
			continue;
		}
		if (received <= 0)
			return -EPIPE;
		if (fd)
			keep_descriptor(&message, fd);
		at += received;
		size -= (size_t)received;
	}
	return 0;
}

int message_receive(int socket, uint64_t *kind, struct message *message, int *fd,
		    struct message_patience *patience)
{
	struct message_header header;

	if (fd)
		*fd = -1;
	message_empty(message);
	int code = receive_all(socket, &header, sizeof(header), fd, patience);
	if (code)
		return code;
	if (header.bytes > MESSAGE_MOST_BYTES)
		return -EBADMSG;
	*kind = header.kind;
	return receive_all(socket, grow(message, header.bytes), header.bytes, NULL, patience);
}
