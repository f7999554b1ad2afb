/* SPDX-License-Identifier: BSD-2-Clause */
/* messages - sends and receives that begin and end at other bytes, and positions that wrap. */
#include "check.h"

#include "analyze/timeline/messages.h"
#include "base/cleanup.h"

#define US 1000ull

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)

/* Thread `run_id` of host `run_id` sends or receives up to each position, 10 us apart. */
static void add(struct recording *recording, int64_t run_id, enum mark_kind kind, uint64_t way,
		const uint32_t *positions)
{
	struct chunk_writer marks = {0};
	struct recording_chunk *chunk = array_add(&recording->chunks);

	*array_add(&recording->strings) =
		(struct recording_string){.run_id = run_id,
					  .number = 3,
					  .text = text_copy(CHUNK_MESSAGE_NAME)};
	for (size_t i = 0; positions[i]; i++) {
		struct mark mark = {.time_ns = (100 + 10 * i) * US,
				    .kind = kind,
				    .name_id = 3,
				    .has_value = true,
				    .value = way << 32 | positions[i]};
		chunk_writer_add_mark(&marks, &mark);
	}
	*chunk = (struct recording_chunk){.run_id = run_id,
					  .kind = CHUNK_MARKS,
					  .cpu = RECORDING_MARKS_KERNEL,
					  .tid = (unsigned)run_id,
					  .start_ns = marks.start_ns,
					  .end_ns = marks.last_ns,
					  .events = marks.events};
	chunk->data.items = chunk_writer_take(&marks, &chunk->data.count);
	chunk_writer_release(&marks);
}

/* Sends, then receives: as "send-receive", with a * if its last byte came. */
static char *pairs_of(const uint32_t *sent, const uint32_t *received)
{
	AUTO(recording) struct recording *recording = memory_new(1, sizeof(*recording));
	struct messages messages = {0};
	char *found = text_copy("");

	add(recording, 1, MARK_FLOW_OUT, 9, sent);
	add(recording, 2, MARK_FLOW_IN, 9, received);
	messages_add(&messages, recording, 1, 0);
	messages_add(&messages, recording, 2, 1);
	messages_pair(&messages);
	size_t sends = 0;
	while (sent[sends])
		sends++;
	for (size_t i = 0; i < messages.received.count; i++) {
		const struct message *one = &messages.received.items[i];
		char *longer = text_format("%s %zu-%zu%s", found, one->out, one->in - sends,
					   one->is_whole ? "*" : "");
		free(found);
		found = longer;
	}
	messages_clear(&messages);
	return found;
}

#define CHECK_PAIRS(sent, received, wanted)                                                 \
	do {                                                                                \
		AUTO(text)                                                                  \
		char *found = pairs_of((const uint32_t[])sent, (const uint32_t[])received); \
		CHECK_TEXT(found, wanted);                                                  \
	} while (0)
#define LIST(...)              \
	{                      \
		__VA_ARGS__, 0 \
	}

TEST("a receive that ends where a send ended has it")
{
	CHECK_PAIRS(LIST(10, 20, 30), LIST(10, 20, 30), " 0-0* 1-1* 2-2*");
}

TEST("a receive of several sends has all of them")
{
	CHECK_PAIRS(LIST(10, 20, 30, 40), LIST(10, 40), " 0-0* 1-1* 2-1* 3-1*");
}

TEST("a send that came in parts has come with its last one")
{
	CHECK_PAIRS(LIST(10, 50), LIST(10, 20, 40, 50), " 0-0* 1-1 1-2 1-3*");
	CHECK_PAIRS(LIST(10, 50, 60), LIST(10, 20, 60), " 0-0* 1-1 1-2* 2-2*");
}

TEST("sends before the first receive, and what came without a send, have no partner")
{
	CHECK_PAIRS(LIST(10, 20, 30), LIST(30), " 2-0*");
	CHECK_PAIRS(LIST(10), LIST(10, 20), " 0-0*");
}

TEST("positions that wrap stay in order")
{
	CHECK_PAIRS(LIST(0xfffffff0u, 0x10, 0x7ffffff0u, 0xffffffe0u),
		    LIST(0xfffffff0u, 0x10, 0x7ffffff0u, 0xffffffe0u), " 0-0* 1-1* 2-2* 3-3*");
}
