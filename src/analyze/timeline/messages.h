/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * messages - which send of one host each receive of another one took, from the marks of both.
 *
 * A mark's value is of the way, from one end of a connection to the other, and of the position that
 * the send or receive reached in its bytes, modulo 2^32. So a receive has what lies between the one
 * before it and itself: several sends, one, or a part of one.
 */
#pragma once

#include "profile/recording.h"

#define MESSAGE_ENDS_MOST 4000000

/* A send or a receive; times and threads are its host's own. */
struct message_end {
	uint64_t value, time_ns, position; /* position: since the way's begin */
	unsigned host, tid;                /* host: index */
	bool is_out;
	size_t first, count; /* of a receive: its messages, in `received` */
};

/* A message that a receive took, wholly or in part. */
struct message {
	size_t out, in; /* indexes of ends */
	bool is_whole;  /* its last byte, too */
};

struct messages {
	ARRAY(struct message_end) ends; /* in the order of messages_add */
	ARRAY(struct message) received; /* by receive; of one, in the order of bytes */
	uint64_t left_out;              /* ends beyond MESSAGE_ENDS_MOST */
};

/* The number of their name in a run; 0: it has none. */
unsigned messages_name(const struct recording *from, int64_t run_id);
/* Adds the marks of a run, which is that of a host. */
void messages_add(struct messages *messages, const struct recording *from, int64_t run_id,
		  unsigned host);
/* After all: finds partners. */
void messages_pair(struct messages *messages);
void messages_clear(struct messages *messages);
