/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * message - what the engine and its parser tell each other: numbers, texts and arrays of bytes, in
 * an order that both know, with at most one file descriptor.
 *
 * The reader trusts nothing: a message that ends early reads as zeros, and `is_short` is set.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct message {
	uint8_t *bytes;
	size_t count, capacity;
	size_t at; /* what is read next */
	bool is_short;
};

/* Who sends it, and what for. */
enum message_kind {
	MESSAGE_ASK,    /* engine: an operation and its arguments */
	MESSAGE_OPEN,   /* parser, before it answers: a path and flags of open(2) */
	MESSAGE_FILE,   /* engine: a negative errno, or 0 with a descriptor */
	MESSAGE_ANSWER, /* parser */
	MESSAGE_READY,  /* parser, first: it has no rights any more */
};

struct message_header {
	uint64_t bytes;
	uint64_t kind;
};

#define MESSAGE_MOST_BYTES (1ull << 30)

void message_empty(struct message *message); /* keeps its memory */
void message_free(struct message *message);

void message_add(struct message *message, uint64_t number);
void message_add_text(struct message *message, const char *text); /* or NULL */
/* Room for the bytes, behind their number. The result is good until the next call. */
void message_add_bytes(struct message *message, const void *bytes, size_t size);
void message_append(struct message *message, const struct message *other);

uint64_t message_take(struct message *message);
const char *message_take_text(struct message *message); /* within the message, or NULL */
/* An array of items of a size, aligned to 8; within the message. */
const void *message_take_items(struct message *message, size_t size, size_t *count);

/* How long the other side may take; both run down only while this process waits for it. */
struct message_patience {
	uint64_t silence_ns; /* until its next byte */
	uint64_t left_ns;    /* for all messages; falls */
};

/*
 * Whole messages through a stream socket. `patience`: NULL: for ever. It does not run while this
 * process is stopped or frozen. 0 or a negative errno: -EPIPE: the other side has gone; -ETIME: it
 * takes too long; -EBADMSG: too long a message.
 * `fd`: -1: none; received descriptors are the caller's.
 */
int message_send(int socket, enum message_kind kind, const struct message *message, int fd,
		 struct message_patience *patience);
int message_receive(int socket, uint64_t *kind, struct message *message, int *fd,
		    struct message_patience *patience);
/* Takes time that this process spent for the other side off. */
void message_patience_spend(struct message_patience *patience, uint64_t spent_ns);
