/* SPDX-License-Identifier: BSD-2-Clause */
/* callers - adds up the stack samples of causal runs by system call and user code. */
#include "analyze/causal/callers.h"

#include "base/text.h"

static bool is_frame_of(const struct recording_frame *frame, const struct recording_target *target)
{
	unsigned line = target->kind == TARGET_LINE ? target->line : 0;

	return frame && frame->kind == FRAME_KERNEL && frame->line == line &&
	       text_equals(frame->function, target->function) &&
	       text_equals(frame->object, target->object) &&
	       (!line || text_equals(frame->file, target->file));
}

static bool same_user(const struct recording_frame *a, const struct recording_frame *b)
{
	if (!a || !b)
		return a == b;
	return a->line == b->line && text_equals(a->function, b->function) &&
	       text_equals(a->file, b->file) && text_equals(a->object, b->object);
}

static void add(struct callers *callers, const char *system_call,
		const struct recording_frame *user, double weight_ns)
{
	for (size_t i = 0; i < callers->count; i++) {
		struct caller *caller = &callers->items[i];
		if (text_equals(caller->system_call, system_call) &&
		    same_user(caller->user, user)) {
			caller->share += weight_ns;
			return;
		}
	}
	*array_add(callers) = (struct caller){system_call, user, weight_ns};
}

static int by_share(const void *left, const void *right)
{
	const struct caller *a = left, *b = right;
	return a->share < b->share ? 1 : a->share > b->share ? -1 : 0;
}

struct callers callers_of(const struct recording *recording, const struct recording_target *target)
{
	struct callers callers = {0};
	double all = 0;

	for (size_t i = 0; i < recording->stack_samples.count; i++) {
		const struct recording_stack_sample *stack_sample =
			&recording->stack_samples.items[i];
		const struct recording_stack *stack =
			recording_stack(recording, (int64_t)stack_sample->stack_id);
		if (!stack || !recording_run(recording, stack_sample->run_id) ||
		    !is_frame_of(recording_frame(recording, stack->frame_id), target))
			continue;
		const struct recording_stack *user =
			recording_stack(recording, (int64_t)stack->caller_id);
		add(&callers, stack_sample->system_call,
		    user ? recording_frame(recording, user->frame_id) : NULL,
		    (double)stack_sample->weight_ns);
		all += (double)stack_sample->weight_ns;
	}
	if (callers.count)
		qsort(callers.items, callers.count, sizeof(*callers.items), by_share);
	for (size_t i = 0; i < callers.count && all > 0; i++)
		callers.items[i].share /= all;
	return callers;
}

void callers_release(struct callers *callers)
{
	array_free(callers);
}
