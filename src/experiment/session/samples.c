/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * samples - writes samples by target, visits of points, and the callers of kernel code.
 *
 * A caller is a sample with a stack of two frames (docs/profile-format.md): the kernel's code, and
 * the user code that led there.
 */
#include "experiment/session/state.h"

#include "experiment/progress/progress_visits.h"
#include "symbolize/kernel/system_calls.h"

#define EDGE_LEAST 0.002 /* of the sampled time: an edge with less is not written */

static int write_frame(struct session *session, uint32_t location, enum frame_kind kind,
		       int64_t *id, struct error *error)
{
	const struct symbols_location *shown = symbols_location(session->symbols, location);
	struct recording_frame frame = {
		.kind = kind,
		.function = (char *)(uintptr_t)shown->function,
		.file = (char *)(uintptr_t)shown->file,
		.line = shown->kind == TARGET_LINE ? shown->line : 0,
		.object = (char *)(uintptr_t)symbols_object(session->symbols, shown->object)->path,
	};
	int code = profile_add_frame(session->profile, &frame, error);

	*id = frame.id;
	return code;
}

static int push_frame(struct session *session, uint32_t location, enum frame_kind kind,
		      int64_t *stack, struct error *error)
{
	struct recording_stack row = {.caller_id = (uint64_t)*stack};
	int code = write_frame(session, location, kind, &row.frame_id, error);

	code = code ? code : profile_add_stack(session->profile, &row, error);
	*stack = row.id;
	return code;
}

static int write_thread(struct session *session, struct error *error)
{
	struct recording_thread thread = {.run_id = session->driver.run.id};
	int code = session->caller_thread_id ? 0 :
					       profile_add_thread(session->profile, &thread, error);

	if (!session->caller_thread_id)
		session->caller_thread_id = thread.id;
	return code;
}

static int write_caller(struct session *session, const struct kernel_caller *caller,
			struct session_kernel_caller *written, struct error *error)
{
	int code = write_thread(session, error);

	if (!code && !written->stack_id && caller->user_location != SYMBOLS_NONE)
		code = push_frame(session, caller->user_location, FRAME_USER, &written->stack_id,
				  error);
	if (!code && !written->sample_id)
		code = push_frame(session, caller->location, FRAME_KERNEL, &written->stack_id,
				  error);
	struct recording_stack_sample row = {
		.id = written->sample_id,
		.run_id = session->driver.run.id,
		.thread_id = session->caller_thread_id,
		.stack_id = (uint64_t)written->stack_id,
		.class = CLASS_KERNEL,
		.system_call = (char *)(uintptr_t)system_call_name(caller->system_call),
		.samples = caller->samples,
		.weight_ns = caller->sampled_ns,
	};
	code = code ? code : profile_set_stack_sample(session->profile, &row, error);
	written->sample_id = row.id;
	written->written = caller->samples;
	return code;
}

static int write_callers(struct session *session, struct error *error)
{
	size_t count;
	const struct kernel_caller *callers = sampled_code_callers(session->code, &count);
	int code = 0;

	while (session->callers.count < count)
		(void)array_add(&session->callers);
	for (size_t i = 0; i < count && !code; i++)
		if (session->callers.items[i].written != callers[i].samples)
			code = write_caller(session, &callers[i], &session->callers.items[i],
					    error);
	return code;
}

/* Of call chains and lines, as far as both are targets and the time matters. */
static int write_call_edges(struct session *session, const struct call_edges *edges,
			    struct error *error)
{
	double least = EDGE_LEAST * (double)sampled_code_time_ns(session->code);
	int code = 0;

	for (size_t i = 0; i < edges->items.count && !code; i++) {
		const struct call_edge *edge = &edges->items.items[i];
		if (edge->time_ns < least)
			continue;
		/* Both have samples, and so are written. */
		size_t outer = session_target_of(session, edge->outer);
		size_t inner = session_target_of(session, edge->inner);
		struct recording_call_edge row = {
			.run_id = session->driver.run.id,
			.outer_id = session->targets.items[outer].id,
			.inner_id = session->targets.items[inner].id,
			.sampled_ns = (uint64_t)edge->time_ns,
		};
		if (row.outer_id && row.inner_id)
			code = profile_set_call_edge(session->profile, &row, error);
	}
	return code;
}

int session_write_samples(struct session *session, struct error *error)
{
	size_t count;
	const struct sampled_location *locations = sampled_code_locations(session->code, &count);

	for (size_t location = 0; location < count; location++) {
		if (!locations[location].samples)
			continue;
		size_t index = session_target_of(session, (uint32_t)location); /* may move items */
		struct session_target *target = &session->targets.items[index];
		int code = session_write_target(session, target, error);
		struct sampled_location whole =
			sampled_code_whole(session->code, (uint32_t)location);
		struct recording_sample row = {
			.run_id = session->driver.run.id,
			.target_id = target->id,
			.samples = whole.samples,
			.sampled_ns = whole.sampled_ns,
			.baseline_sampled_ns = whole.baseline_sampled_ns,
			.baseline_alone_ns = whole.baseline_alone_ns,
		};
		code = code ? code : profile_set_sample(session->profile, &row, error);
		if (code)
			return code;
	}
	int failed = write_callers(session, error);
	failed = failed ? failed :
			  write_call_edges(session, sampled_code_edges(session->code), error);
	failed = failed ?
			 failed :
			 write_call_edges(session, sampled_code_import_edges(session->code), error);
	return failed ? failed :
			progress_visits_write_totals(session->points, session->profile,
						     session->driver.run.id, error);
}
