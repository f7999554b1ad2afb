/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drain - holds samples back while they come.
 *
 * A question to the parser is two switches, and on a busy machine the engine waits for a core each
 * time. Samples and their callers are held back until another event comes, or the end.
 */
#include "experiment/session/drain.h"

#include "experiment/session/state.h"

#include "base/memory.h"
#include "experiment/target/address_lookup.h"

#include <string.h>

#define HELD_MOST 4096

struct held_event {
	size_t at; /* in words */
	bool is_callers;
};

struct held {
	struct session *session;
	ARRAY(uint64_t) words; /* events are aligned to them */
	ARRAY(struct held_event) events;
};

static const struct collector_handler *handler_of(const struct held *held)
{
	return &held->session->handler;
}

static void look_up(const struct held *held)
{
	const struct wire_sample **samples = memory_new(held->events.count, sizeof(*samples));
	size_t count = 0;

	for (size_t i = 0; i < held->events.count; i++)
		if (!held->events.items[i].is_callers)
			samples[count++] =
				(const void *)&held->words.items[held->events.items[i].at];
	address_lookup_ahead(sampled_code_lookup(held->session->code)->addresses, samples, count);
	free(samples);
}

static void pass_on(struct held *held)
{
	const struct collector_handler *handler = handler_of(held);

	look_up(held);
	for (size_t i = 0; i < held->events.count; i++) {
		const void *event = &held->words.items[held->events.items[i].at];
		if (held->events.items[i].is_callers)
			handler->callers(handler->context, event);
		else
			handler->sample(handler->context, event);
	}
	held->words.count = held->events.count = 0;
}

/* All structs of events are whole words. */
static void hold(struct held *held, const void *event, size_t size, bool is_callers)
{
	size_t count = held->events.count;
	bool follows_callers = count && held->events.items[count - 1].is_callers;

	if (count >= HELD_MOST && !follows_callers)
		pass_on(held); /* callers stay with their sample, which comes next */
	*array_add(&held->events) =
		(struct held_event){.at = held->words.count, .is_callers = is_callers};
	for (size_t at = 0; at < size; at += sizeof(uint64_t))
		memcpy(array_add(&held->words), (const char *)event + at, sizeof(uint64_t));
}

static void on_sample(void *context, const struct wire_sample *sample)
{
	size_t size = sizeof(*sample);

	if (sample->flags & WIRE_SAMPLE_CHAIN) {
		const struct kernel_chain *chain = (const void *)sample;
		size_t count = chain->count < KERNEL_CHAIN_MOST ? chain->count : KERNEL_CHAIN_MOST;
		size = offsetof(struct kernel_chain, addresses) + count * sizeof(*chain->addresses);
	}
	hold(context, sample, size, false);
}

static void on_callers(void *context, const struct kernel_callers *callers)
{
	size_t frames = callers->count * sizeof(*callers->frames);

	if (handler_of(context)->callers)
		hold(context, callers, offsetof(struct kernel_callers, frames) + frames, true);
}

/* Other events come in their order between samples. */

static void on_object(void *context, const struct kernel_object_event *event)
{
	pass_on(context);
	handler_of(context)->object(handler_of(context)->context, event);
}

static void on_python_code(void *context, const struct wire_python_code *code, size_t bytes)
{
	pass_on(context);
	if (handler_of(context)->python_code)
		handler_of(context)->python_code(handler_of(context)->context, code, bytes);
}

static void on_process(void *context, const struct kernel_process_event *event)
{
	pass_on(context);
	handler_of(context)->process(handler_of(context)->context, event);
}

static void on_name(void *context, const struct kernel_name_event *event)
{
	pass_on(context);
	if (handler_of(context)->name)
		handler_of(context)->name(handler_of(context)->context, event);
}

static void on_far_file(void *context, const struct collector_far_file *file)
{
	pass_on(context);
	if (handler_of(context)->far_file)
		handler_of(context)->far_file(handler_of(context)->context, file);
}

void session_drain(struct session *session)
{
	struct held held = {.session = session};
	const struct collector_handler handler = {
		.context = &held,
		.sample = on_sample,
		.callers = on_callers,
		.object = on_object,
		.python_code = on_python_code,
		.process = on_process,
		.name = on_name,
		.far_file = on_far_file,
	};

	collector_drain(session->collector, &handler);
	pass_on(&held);
	array_free(&held.words);
	array_free(&held.events);
}
