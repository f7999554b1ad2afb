/* SPDX-License-Identifier: BSD-2-Clause */
/* synthetic_location - locations that are not code: system calls, spans, processes, waits. */
#include "base/cleanup.h"
#include "symbolize/internal.h"
#include "symbolize/kernel/system_calls.h"
#include "symbolize/location/location_name.h"
#include "symbolize/nearest.h"
#include "symbolize/parser/parser.h"

#include <errno.h>
#include <string.h>

#define CALLS_MOST 4096

static struct object *synthetic_object(struct symbols *symbols, struct object **kept,
				       const char *name)
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

uint32_t symbols_system_call(struct symbols *symbols, int number)
{
	if (symbols->parser)
		return parser_system_call(symbols->parser, number);
	struct object *object = synthetic_object(symbols, &symbols->calls, "system calls");
	const char *name = system_call_name(number);
	uint32_t text = name ? location_name_add(symbols, SYSTEM_CALL_PREFIX "%s", name) :
			       location_name_add(symbols, SYSTEM_CALL_PREFIX "%d", number);
	size_t known = symbols->locations.count;
	uint32_t location = location_of_synthetic(symbols, object, TARGET_SYSTEM_CALL,
						  (uint64_t)number, text, 0);

	if (location >= known)
		location_add_range(symbols, location, (uint64_t)number, (uint64_t)number + 1);
	return location;
}

int symbols_find_system_call(struct symbols *symbols, const char *name, uint32_t *location,
			     struct error *error)
{
	struct nearest nearest = {0};

	if (symbols->parser)
		return parser_find(symbols->parser, OPERATION_FIND_SYSTEM_CALL, name, location,
				   error);
	for (int number = 0; number < CALLS_MOST; number++) {
		const char *known = system_call_name(number);
		if (known && !strcmp(known, name)) {
			*location = symbols_system_call(symbols, number);
			return 0;
		}
		if (known)
			nearest_offer(&nearest, known, nearest_distance(known, name));
	}
	AUTO(text) char *others = nearest_text(&nearest, "; nearest: ");
	return error_set(error, -ENXIO, "there is no system call %s%s", name,
			 *others ? others : "; \"man 2 syscalls\" lists them");
}

uint32_t symbols_span(struct symbols *symbols, const char *name)
{
	if (symbols->parser)
		return parser_text_location(symbols->parser, OPERATION_SPAN, name);
	struct object *object = synthetic_object(symbols, &symbols->spans, "spans");
	uint32_t text = location_name_add(symbols, SYMBOLS_SPAN_PREFIX "%s", name);

	return location_of_synthetic(symbols, object, TARGET_SPAN, text, text, 0);
}

uint32_t symbols_process_name(struct symbols *symbols, const char *name)
{
	if (symbols->parser)
		return parser_text_location(symbols->parser, OPERATION_PROCESS_NAME, name);
	struct object *object = synthetic_object(symbols, &symbols->process_names, "processes");
	uint32_t text = location_name_add(symbols, SYMBOLS_PROCESS_PREFIX "%s", name);

	return location_of_synthetic(symbols, object, TARGET_PROCESS, text, text, 0);
}

uint32_t symbols_set(struct symbols *symbols, const char *name)
{
	if (symbols->parser)
		return parser_text_location(symbols->parser, OPERATION_SET, name);
	struct object *object = synthetic_object(symbols, &symbols->sets, "sets");
	uint32_t text = location_name_add(symbols, "%s", name);

	return location_of_synthetic(symbols, object, TARGET_SET, text, text, 0);
}

static const char *wait_class_description(enum sample_class class)
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

uint32_t symbols_wait_class(struct symbols *symbols, enum sample_class class, uint32_t at)
{
	if (symbols->parser)
		return parser_wait_class(symbols->parser, class, at);
	struct object *object = synthetic_object(symbols, &symbols->classes, "classes of waiting");
	const char *letter = sample_class_name(class);
	uint64_t number = ((uint64_t)at + 1) << 8 | class;
	uint32_t text = at == SYMBOLS_NONE ?
				location_name_add(symbols, "class:%s", letter) :
				location_name_add(symbols, "%s class:%s",
						  symbols_location(symbols, at)->name, letter);
	uint32_t description = interner_add(&symbols->sources.texts, wait_class_description(class));

	return location_of_synthetic(symbols, object, TARGET_CLASS, number, text, description);
}
