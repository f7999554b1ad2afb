/* SPDX-License-Identifier: BSD-2-Clause */
/* lock_names - names of locks, and of the code that waits for them and releases them. */
#include "report/samples/lock_names.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "report/display.h"
#include "report/samples/names.h"

#define WAKERS_MOST 3
#define WAKER_LEAST 0.1 /* of the waits */

char *samples_lock_name(const struct samples_lock *lock, bool has_processes)
{
	AUTO(text) char *kind = display_clean(lock->kind);
	AUTO(text) char *name = display_clean(lock->name);
	AUTO(text) char *process = has_processes ? text_format("[%u] ", lock->pid) : text_copy("");
	bool is_kernel = !lock->first->stack_sample->address;

	if (is_kernel)
		return text_format("%skernel %s%s%s", process, kind, name ? " in " : "",
				   name ? name : "");
	if (lock->name)
		return text_format("%s%s %s", process, kind, name);
	if (lock->count > 1)
		return text_format("%s%s, %zu of them", process, kind, lock->count);
	if (!samples_lock_is_object(lock))
		return text_format("%s%s", process, kind);
	return text_format("%s%s 0x%llx", process, kind,
			   (unsigned long long)lock->first->stack_sample->address);
}

char *samples_place_name(const struct recording_frame *place)
{
	AUTO(text) char *function = samples_function_name(place);
	AUTO(text) char *line = samples_location_name(place);

	return *line ? text_format("%s (%s)", function, line) : take(&function);
}

size_t samples_wakers_shown(const struct samples_lock *lock)
{
	size_t shown = 0;

	while (shown < lock->wakers.count && shown < WAKERS_MOST &&
	       (double)lock->wakers.items[shown].weight_ns >= WAKER_LEAST * (double)lock->woken_ns)
		shown++;
	return shown;
}

char *samples_waker_name(const struct samples_lock *lock, size_t index)
{
	const struct samples_waker *waker = &lock->wakers.items[index];
	double part = (double)waker->weight_ns / (double)lock->woken_ns;
	AUTO(text)
	char *place = waker->place ? samples_place_name(waker->place) : text_copy("unknown code");

	return part < 0.995 ? text_format("%s %.0f %%", place, 100 * part) : take(&place);
}

char *samples_locks_hint(const struct samples_locks *locks)
{
	for (size_t i = 0; i < locks->count; i++) {
		const struct samples_lock *lock = &locks->items[i];
		const struct recording_frame *place =
			lock->wakers.count ? lock->wakers.items[0].place : NULL;
		bool is_section = text_starts_with(lock->kind, "mutex") ||
				  text_starts_with(lock->kind, "rwlock");
		if (!is_section || !place || !place->function)
			continue;
		AUTO(text) char *name = samples_lock_name(lock, locks->has_processes);
		AUTO(text) char *target = text_format("inclusive:%s", place->function);
		AUTO(text) char *quoted = display_argument(target);
		return text_format("What a shorter critical section of %s would bring: lever run "
				   "--target %s -- PROGRAM",
				   name, quoted);
	}
	return NULL;
}
