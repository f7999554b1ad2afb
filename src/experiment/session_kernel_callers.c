/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session_callers - writes who called sampled code of the kernel: from which system call and line.
 *
 * They are moments of the run (docs/profile-format.md), as those of lever record, with two frames: the
 * kernel's code, and the user code from where it was called.
 */
#include "experiment/session_state.h"

#include "symbolize/kernel/system_calls.h"

static int write_frame(struct session *session, uint32_t place, enum frame_kind kind, int64_t *id,
		       struct error *error)
{
	const struct symbols_location *shown = symbols_location(session->symbols, place);
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

static int push_frame(struct session *session, uint32_t place, enum frame_kind kind, int64_t *stack,
		      struct error *error)
{
	struct recording_stack row = {.caller_id = (uint64_t)*stack};
	int code = write_frame(session, place, kind, &row.frame_id, error);

	code = code ? code : profile_add_stack(session->profile, &row, error);
	*stack = row.id;
	return code;
}

static int write_thread(struct session *session, struct error *error)
{
	struct recording_thread thread = {.run_id = session->run.id};
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

	if (!code && !written->stack_id && caller->user_place != SYMBOLS_NONE)
		code = push_frame(session, caller->user_place, FRAME_USER, &written->stack_id,
				  error);
	if (!code && !written->moment_id)
		code = push_frame(session, caller->place, FRAME_KERNEL, &written->stack_id, error);
	struct recording_stack_sample moment = {
		.id = written->moment_id,
		.run_id = session->run.id,
		.thread_id = session->caller_thread_id,
		.stack_id = (uint64_t)written->stack_id,
		.class = CLASS_KERNEL,
		.system_call = (char *)(uintptr_t)system_call_name(caller->system_call),
		.samples = caller->samples,
		.weight_ns = caller->sampled_ns,
	};
	code = code ? code : profile_set_stack_sample(session->profile, &moment, error);
	written->moment_id = moment.id;
	written->written = caller->samples;
	return code;
}

int session_write_kernel_callers(struct session *session, struct error *error)
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
