/* SPDX-License-Identifier: BSD-2-Clause */
/* activity - places that are no code, but something that a task does: a system call, a wait. */
#include "base/own.h"
#include "symbolize/catalog.h"
#include "symbolize/name.h"
#include "symbolize/search.h"
#include "symbolize/system_calls.h"

#include <errno.h>
#include <string.h>

#define CALLS_MOST 4096

static struct object *activities(struct symbols *symbols, struct object **kept, const char *name)
{
	if (*kept)
		return *kept;
	struct object *object = object_new(name);
	object->has_read_symbols = true;
	object->id = (uint32_t)symbols->objects.count;
	*array_add(&symbols->objects) = object;
	*kept = object;
	return object;
}

bool symbols_is_calls(const struct symbols *symbols, uint32_t object)
{
	return symbols->calls && symbols->calls->id == object;
}

uint32_t symbols_call_place(struct symbols *symbols, int number)
{
	struct object *object = activities(symbols, &symbols->calls, "system calls");
	const char *name = system_call_name(number);
	uint32_t text = name ? name_add(symbols, "syscall:%s", name) :
			       name_add(symbols, "syscall:%d", number);
	bool is_new;
	uint32_t place =
		place_of_activity(symbols, object, TARGET_CALL, (uint64_t)number, text, 0, &is_new);

	if (is_new)
		place_add_range(symbols, place, (uint64_t)number, (uint64_t)number + 1);
	return place;
}

int symbols_find_call(struct symbols *symbols, const char *name, uint32_t *place,
		      struct error *error)
{
	struct nearest nearest = {0};

	for (int number = 0; number < CALLS_MOST; number++) {
		const char *known = system_call_name(number);
		if (known && !strcmp(known, name)) {
			*place = symbols_call_place(symbols, number);
			return 0;
		}
		if (known)
			nearest_offer(&nearest, known, name_distance(known, name));
	}
	AUTO(text) char *others = nearest_text(&nearest, "; nearest: ");
	return error_set(error, -ENXIO, "there is no system call %s%s", name, others);
}

bool symbols_is_spans(const struct symbols *symbols, uint32_t object)
{
	return symbols->spans && symbols->spans->id == object;
}

uint32_t symbols_span_place(struct symbols *symbols, const char *name)
{
	struct object *object = activities(symbols, &symbols->spans, "spans");
	uint32_t text = name_add(symbols, SYMBOLS_SPAN_PREFIX "%s", name);

	return place_of_activity(symbols, object, TARGET_SPAN, text, text, 0, NULL);
}

static const char *class_words(enum sample_class class)
{
	switch (class) {
	case CLASS_IO:
		return "waiting for I/O";
	case CLASS_LOCK:
		return "waiting for a lock";
	case CLASS_RUNNABLE:
		return "waiting for a CPU";
	default:
		return "waiting for anything else";
	}
}

uint32_t symbols_class_place(struct symbols *symbols, enum sample_class class, uint32_t at)
{
	struct object *object = activities(symbols, &symbols->classes, "classes of waiting");
	const char *letter = sample_class_name(class);
	uint64_t number = ((uint64_t)at + 1) << 8 | class;
	uint32_t text = at == SYMBOLS_NONE ? name_add(symbols, "class:%s", letter) :
					     name_add(symbols, "%s class:%s",
						      symbols_place(symbols, at)->name, letter);
	uint32_t words = texts_add(&symbols->texts, class_words(class));

	return place_of_activity(symbols, object, TARGET_CLASS, number, text, words, NULL);
}
